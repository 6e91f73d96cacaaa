# bash completion for spellweaver; made by python -m spellweaver.cli.generate

_spellweaver_at() { # $1: the words of a command. Sets below, options, takes, places.
    below='' options='' takes='' places=''
    case $1 in
    '')
        below='init demo check define new import bind activate run tick trigger status next explain simulate timeline logs events cancel resolve pause resume retire schedule cutover occurrence invocation pattern policy zones doctor ledger backup paths schema completions version'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'init')
        options='--example --accept-network-file-system --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'demo')
        options='--seconds --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--seconds= --ledger=@files --color=auto,always,never'
        ;;
    'check')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files+'
        ;;
    'define')
        options='--bind --activate --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files+'
        ;;
    'new')
        options='--cron --zone --at --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--cron= --zone= --at= --ledger=@files --color=auto,always,never'
        places='- -+'
        ;;
    'import')
        below='crontab systemd'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'import crontab')
        options='--zone --system --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--zone= --ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'import systemd')
        options='--zone --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--zone= --ledger=@files --color=auto,always,never'
        places='@files+'
        ;;
    'bind')
        options='--dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'activate')
        options='--cutover --confirm --unbound --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--cutover=@files --confirm=@schedules --ledger=@files --color=auto,always,never'
        places='@schedules+'
        ;;
    'run')
        options='--live --for --until-idle --drain --accept-network-file-system --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--for= --drain= --ledger=@files --color=auto,always,never'
        ;;
    'tick')
        options='--no-wait --period --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--period= --ledger=@files --color=auto,always,never'
        ;;
    'trigger')
        options='--source --event-id --new --input --origin --principal --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--source= --event-id= --input=@files --origin=agent,peer --principal= --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'status')
        options='--watch --check --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'next')
        options='--count -n --from --until --cron --oncalendar --every --anchor --zone --fold --gap --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--count= -n= --from= --until= --cron= --oncalendar= --every= --anchor= --zone= --fold=earlier,later,both --gap=skip,advance,fail --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'explain')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'simulate')
        options='--on-ledger --from --for --outage --clock-step --runtime --until-quiet --all --save --expect --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--from= --for= --outage= --clock-step= --runtime= --save=@files --expect=@files --ledger=@files --color=auto,always,never'
        places='@files+'
        ;;
    'timeline')
        options='--from --to --svg --html --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--from= --to= --svg=@files --html=@files --ledger=@files --color=auto,always,never'
        places='@schedules+'
        ;;
    'logs')
        options='--follow -f --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'events')
        options='--follow -f --schedule --type --after-seq --count -n --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--schedule=@schedules --type= --after-seq= --count= -n= --ledger=@files --color=auto,always,never'
        ;;
    'cancel')
        options='--reason --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--reason= --ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'resolve')
        options='--reason --outcome --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--reason= --outcome=completed,failed --ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'pause')
        options='--reason --until --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--reason= --until= --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'resume')
        options='--dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'retire')
        options='--confirm --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--confirm= --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'schedule')
        below='list show history diff'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'schedule list')
        options='--state --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--state=defined,active,paused,stopped,retired --ledger=@files --color=auto,always,never'
        ;;
    'schedule show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'schedule history')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'schedule diff')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@schedules @schedules'
        ;;
    'cutover')
        below='plan check show'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'cutover plan')
        options='--at --span --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--at= --span= --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'cutover check')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'cutover show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'occurrence')
        below='list show skip'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'occurrence list')
        options='--schedule --state --reason --count -n --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--schedule=@schedules --state=pending,admitted,missed,skipped,refused,coalesced --reason= --count= -n= --ledger=@files --color=auto,always,never'
        ;;
    'occurrence show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'occurrence skip')
        options='--reason --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--reason= --ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'invocation')
        below='list show'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'invocation list')
        options='--schedule --state --count -n --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--schedule=@schedules --state=queued,running,suspended,cancelling,contained,completed,failed,cancelled,timed_out --count= -n= --ledger=@files --color=auto,always,never'
        ;;
    'invocation show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@references'
        ;;
    'pattern')
        below='list show digest'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'pattern list')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'pattern show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@patterns'
        ;;
    'pattern digest')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@patterns'
        ;;
    'policy')
        below='show check apply'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'policy show')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'policy check')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'policy apply')
        options='--dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'zones')
        below='list drift'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'zones list')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'zones drift')
        options='--count -n --for --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--count= -n= --for= --ledger=@files --color=auto,always,never'
        places='@schedules'
        ;;
    'doctor')
        options='--full --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'ledger')
        below='check adopt'
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'ledger check')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'ledger adopt')
        options='--reason --confirm --dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--reason= --confirm= --ledger=@files --color=auto,always,never'
        ;;
    'backup')
        options='--dry-run --ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@files'
        ;;
    'paths')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    'schema')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='@kinds'
        ;;
    'completions')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        places='bash,zsh,fish'
        ;;
    'version')
        options='--ledger --json --jsonl --header --color --utc --quiet -q --help'
        takes='--ledger=@files --color=auto,always,never'
        ;;
    esac
}

_spellweaver_offer() { # $1: words, or @ and what to ask for; $2: what stands there already
    case $1 in
    -) ;;
    @files) mapfile -t COMPREPLY < <(compgen -f -- "$2") && compopt -o filenames 2>/dev/null ;;
    @folders) mapfile -t COMPREPLY < <(compgen -d -- "$2") && compopt -o filenames 2>/dev/null ;;
    @*) mapfile -t COMPREPLY < <("$program" __names "${1#@}" "$2" "${ledger[@]}" 2>/dev/null) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "${1//,/ }" -- "$2") ;;
    esac
}

_spellweaver_value() { # what option $1 of this command takes; fails for a flag
    local each
    for each in $takes; do
        [[ ${each%%=*} == "$1" ]] && { value=${each#*=}; return 0; }
    done
    return 1
}

_spellweaver() {
    local below options takes places value='' path='' word current seen=0 after='' place program=$1
    local -a words ledger=()
    COMPREPLY=()
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    current=''
    if [[ ${COMP_LINE:COMP_POINT-1:1} != [[:space:]] ]]; then
        current=${words[-1]}
        unset 'words[-1]'
    fi
    _spellweaver_at ''
    for word in "${words[@]:1}"; do
        if [[ $after ]]; then
            [[ $after == --ledger ]] && ledger=(--ledger "$word")
            after=''
        elif [[ $word == --ledger=* ]]; then
            ledger=(--ledger "${word#*=}")
        elif [[ $word == -- ]]; then
            return 0
        elif [[ $word == -* ]]; then
            _spellweaver_value "$word" && after=$word
        elif [[ " $below " == *" $word "* ]]; then
            path="$path $word"
            _spellweaver_at "${path# }"
        else
            seen=$((seen + 1))
        fi
    done
    if [[ $after ]]; then
        _spellweaver_value "$after" && _spellweaver_offer "$value" "$current"
    elif [[ $current == --*=* ]]; then
        _spellweaver_value "${current%%=*}" && _spellweaver_offer "$value" "${current#*=}"
    elif [[ $current == -* ]]; then
        _spellweaver_offer "$options" "$current"
    elif [[ $below ]]; then
        _spellweaver_offer "$below" "$current"
    else
        for place in $places; do
            [[ $seen -eq 0 || $place == *+ ]] && { _spellweaver_offer "${place%+}" "$current"; break; }
            seen=$((seen - 1))
        done
    fi
    _spellweaver_trim "$current"
}

_spellweaver_trim() { # bash replaces only what stands after the last break of a word
    local breaks=${COMP_WORDBREAKS//[^@:=]/} at
    [[ $breaks && $1 == *[$breaks]* ]] || return 0
    local kept=${1%"${1##*[$breaks]}"}
    [[ $1 == --*=* ]] && kept=${kept#*=}
    for at in "${!COMPREPLY[@]}"; do
        COMPREPLY[at]=${COMPREPLY[at]#"$kept"}
    done
}

complete -F _spellweaver spellweaver
