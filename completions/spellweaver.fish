# fish completion for spellweaver; made by python -m spellweaver.cli.generate

function __spellweaver_words --description 'The words of the command so far: no options, no values of options'
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word --ledger --color --seconds --cron --zone --at --for --drain --period --count -n --from --until --oncalendar --every --anchor --fold --gap --outage --clock-step --runtime --save --expect --to --svg --html --schedule --type --after-seq --reason --outcome --confirm --state
            set skip 1
        else if not string match -q -- '-*' $word
            echo -- $word
        end
    end
end

function __spellweaver_at --description 'Whether the line stands at exactly this command, or in it with -in'
    set -l words (__spellweaver_words)
    set -l wanted $argv
    test "$argv[1]" = -in; and set -e wanted[1]
    test (count $words) -ge (count $wanted); or return 1
    for at in (seq (count $wanted))
        test "$words[$at]" = "$wanted[$at]"; or return 1
    end
    test "$argv[1]" = -in; or test (count $words) -eq (count $wanted)
end

function __spellweaver_names --description 'Names out of the ledger'
    set -l words (commandline -opc)
    set -l ledger
    for at in (seq (count $words))
        test "$words[$at]" = --ledger; and set ledger --ledger $words[(math $at + 1)]
    end
    $words[1] __names $argv[1] (commandline -ct) $ledger 2>/dev/null
end

complete -c spellweaver -f
complete -c spellweaver -l ledger -r -F -d 'The ledger, if not the usual one'
complete -c spellweaver -l json -d 'One JSON document'
complete -c spellweaver -l jsonl -d 'One JSON object a line'
complete -c spellweaver -l header -d 'Name the columns, behind a pipe too'
complete -c spellweaver -l color -x -a 'auto always never' -d 'Colours; auto looks at the terminal'
complete -c spellweaver -l utc -d 'Show every time in UTC'
complete -c spellweaver -l quiet -s q -d 'Only data, warnings and errors'
complete -c spellweaver -n '__spellweaver_at' -a init -d 'Makes the ledger, in a directory that only its owner can enter'
complete -c spellweaver -n '__spellweaver_at' -a demo -d 'Runs three small Schedules for a while on a ledger of its own, then shows what became of each firing'
complete -c spellweaver -n '__spellweaver_at' -a check -d 'Judges files by themselves: every problem of every file at once, each with its line, column and a caret'
complete -c spellweaver -n '__spellweaver_at' -a define -d 'Stores workflows and Schedule revisions, and says of each whether it is new, unchanged or a further revision'
complete -c spellweaver -n '__spellweaver_at' -a new -d 'Prints the TOML for one command on a calendar, or once'
complete -c spellweaver -n '__spellweaver_at' -a import -d 'Coming from elsewhere: what other schedulers\' files would be here, line by line'
complete -c spellweaver -n '__spellweaver_at' -a bind -d 'Takes the host\'s bindings as a new generation, and reports every placement: bound, unchanged or unknown'
complete -c spellweaver -n '__spellweaver_at' -a activate -d 'Switches Schedules to a revision: all that are named, or none'
complete -c spellweaver -n '__spellweaver_at' -a run -d 'Runs Schedules in the foreground until it is told to stop, and finds again what an earlier run left'
complete -c spellweaver -n '__spellweaver_at' -a tick -d 'One pass without a daemon: settles what has ended, decides what is due, starts it and waits for its end'
complete -c spellweaver -n '__spellweaver_at' -a status -d 'What runs, what comes next, what came last and why, what waits and what is wrong'
complete -c spellweaver -n '__spellweaver_at' -a next -d 'Firings to come, with folds, gaps and windows'
complete -c spellweaver -n '__spellweaver_at' -a explain -d 'What became of one firing and why, with the numbers that were compared'
complete -c spellweaver -n '__spellweaver_at' -a simulate -d 'Shows what would become of every firing of a span, by the same engine under a virtual clock'
complete -c spellweaver -n '__spellweaver_at' -a timeline -d 'Windows, runs, misses and skips of a span, and the firings to come, on one line a Schedule'
complete -c spellweaver -n '__spellweaver_at' -a logs -d 'The output of a run, standard output and errors as they came'
complete -c spellweaver -n '__spellweaver_at' -a events -d 'What happened, oldest first'
complete -c spellweaver -n '__spellweaver_at' -a cancel -d 'Cancels a run: what waits for its start ends at once; a running command gets TERM, then its grace, then KILL'
complete -c spellweaver -n '__spellweaver_at' -a resolve -d 'Ends contained work on your word: nothing of it could be proved gone, and you looked'
complete -c spellweaver -n '__spellweaver_at' -a pause -d 'Starts nothing of a Schedule until it is resumed; neither a restart nor an activation does that'
complete -c spellweaver -n '__spellweaver_at' -a resume -d 'Ends the pause of a Schedule'
complete -c spellweaver -n '__spellweaver_at' -a retire -d 'Ends a Schedule for good: what waits is skipped, what runs goes on, its name is not used again'
complete -c spellweaver -n '__spellweaver_at' -a schedule -d 'Schedules: what there is, and what one says'
complete -c spellweaver -n '__spellweaver_at' -a occurrence -d 'Firings on record: each with its one outcome and reason'
complete -c spellweaver -n '__spellweaver_at' -a invocation -d 'Runs: what was admitted, and how it went'
complete -c spellweaver -n '__spellweaver_at' -a pattern -d 'Workflow versions: what there is, what one says, and its digest'
complete -c spellweaver -n '__spellweaver_at' -a policy -d 'What the host allows: workers, the usual misfire horizon, how the clock is judged'
complete -c spellweaver -n '__spellweaver_at' -a zones -d 'Zone rules: which are kept, and what would move if a revision took those of the host'
complete -c spellweaver -n '__spellweaver_at' -a doctor -d 'Looks at the ledger, its place, the clock, zone rules and what runs, and says what is wrong'
complete -c spellweaver -n '__spellweaver_at' -a ledger -d 'The ledger as a whole: check it, and adopt one that is another machine\'s or not the newest'
complete -c spellweaver -n '__spellweaver_at' -a backup -d 'Copies the ledger into one file while it is used: verified event by event, and on the disk before it has its name'
complete -c spellweaver -n '__spellweaver_at' -a paths -d 'Where everything lives, and why there'
complete -c spellweaver -n '__spellweaver_at' -a schema -d 'Prints the JSON Schema of a kind of output, which stands under `kind` in it; or lists the kinds'
complete -c spellweaver -n '__spellweaver_at' -a completions -d 'Prints the completion script of a shell; it asks the ledger for names, so it needs this program on PATH'
complete -c spellweaver -n '__spellweaver_at' -a version -d 'The versions of the program, of the ledgers that it takes, of SQLite and of the zone rules; also `--version`'
complete -c spellweaver -n '__spellweaver_at -in init' -l example -d 'Add two harmless Schedules, bound and active'
complete -c spellweaver -n '__spellweaver_at -in init' -l accept-network-file-system -d 'Keep the ledger on the file system of a network; goes on record'
complete -c spellweaver -n '__spellweaver_at -in init' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in demo' -l seconds -x -d 'How long it runs'
complete -c spellweaver -n '__spellweaver_at -in check' -F
complete -c spellweaver -n '__spellweaver_at -in define' -l bind -d 'Take the bindings of the files too'
complete -c spellweaver -n '__spellweaver_at -in define' -l activate -d 'Switch each Schedule of the files to this revision'
complete -c spellweaver -n '__spellweaver_at -in define' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in define' -F
complete -c spellweaver -n '__spellweaver_at -in new' -l cron -x -d 'A calendar of five or six fields'
complete -c spellweaver -n '__spellweaver_at -in new' -l zone -x -d 'The zone that the calendar is read in'
complete -c spellweaver -n '__spellweaver_at -in new' -l at -x -d 'Once, at this RFC 3339 instant'
complete -c spellweaver -n '__spellweaver_at import' -a crontab -d 'Prints the TOML that a crontab would be here, as of `crontab -l`'
complete -c spellweaver -n '__spellweaver_at import' -a systemd -d 'Prints the TOML that timers and their services would be here'
complete -c spellweaver -n '__spellweaver_at -in import crontab' -l zone -x -d 'The zone of its host; default: that of this one'
complete -c spellweaver -n '__spellweaver_at -in import crontab' -l system -d 'Lines name a user; so they do in /etc/crontab and /etc/cron.d'
complete -c spellweaver -n '__spellweaver_at -in import crontab' -F
complete -c spellweaver -n '__spellweaver_at -in import systemd' -l zone -x -d 'The zone of their host; default: that of this one'
complete -c spellweaver -n '__spellweaver_at -in import systemd' -F
complete -c spellweaver -n '__spellweaver_at -in bind' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in bind' -F
complete -c spellweaver -n '__spellweaver_at -in activate' -l unbound -d 'Also while a station has no command on this host'
complete -c spellweaver -n '__spellweaver_at -in activate' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in activate' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in run' -l live -d 'A live view, on a terminal'
complete -c spellweaver -n '__spellweaver_at -in run' -l for -x -d 'Stop in order after so long'
complete -c spellweaver -n '__spellweaver_at -in run' -l until-idle -d 'Stop once nothing runs and nothing pends'
complete -c spellweaver -n '__spellweaver_at -in run' -l drain -x -d 'At a stop, how long running work may end by itself'
complete -c spellweaver -n '__spellweaver_at -in run' -l accept-network-file-system -d 'Keep the ledger on the file system of a network; goes on record'
complete -c spellweaver -n '__spellweaver_at -in tick' -l no-wait -d 'Leave what was started running; a later tick settles it'
complete -c spellweaver -n '__spellweaver_at -in tick' -l period -x -d 'How often tick is called: lateness up to that is ordinary'
complete -c spellweaver -n '__spellweaver_at -in status' -l watch -d 'Keep the screen up to date; Ctrl-C ends it'
complete -c spellweaver -n '__spellweaver_at -in status' -l check -d 'Exit with 1 when anything is wrong'
complete -c spellweaver -n '__spellweaver_at -in next' -l count -s n -x -d 'How many firings; 10 unless --until is given'
complete -c spellweaver -n '__spellweaver_at -in next' -l from -x -d 'From this instant on; from now, if not said'
complete -c spellweaver -n '__spellweaver_at -in next' -l until -x -d 'Up to and including this instant'
complete -c spellweaver -n '__spellweaver_at -in next' -l cron -x -d 'A cron expression, in place of a Schedule of the ledger'
complete -c spellweaver -n '__spellweaver_at -in next' -l oncalendar -x -d 'A calendar event of systemd\'s, in place of a Schedule'
complete -c spellweaver -n '__spellweaver_at -in next' -l every -x -d 'An interval, in place of a Schedule'
complete -c spellweaver -n '__spellweaver_at -in next' -l anchor -x -d 'The instant that --every counts from'
complete -c spellweaver -n '__spellweaver_at -in next' -l zone -x -d 'The zone of the times; of --every, for display'
complete -c spellweaver -n '__spellweaver_at -in next' -l fold -x -a 'earlier later both' -d 'For --cron and --oncalendar: what fires of a repeated time'
complete -c spellweaver -n '__spellweaver_at -in next' -l gap -x -a 'skip advance fail' -d 'For --cron and --oncalendar: what a missing time does'
complete -c spellweaver -n '__spellweaver_at -in next' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in explain' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l on-ledger -d 'Bring the files to a copy of the ledger, at --from'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l from -x -d 'Where the span begins; now, if not said'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l for -x -d 'How long the span is'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l outage -x -d 'The scheduler is down from A to B'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l clock-step -x -d 'At T the clock is set by so much'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l runtime -x -d 'How long a station takes, or that it fails'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l until-quiet -d 'Past the end, let what waits or runs come to its end'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l all -d 'Show each firing, however many are alike'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l save -r -F -d 'Write the JSON document there too'
complete -c spellweaver -n '__spellweaver_at -in simulate' -l expect -r -F -d 'Compare with a saved one; 1 if a firing differs'
complete -c spellweaver -n '__spellweaver_at -in simulate' -F
complete -c spellweaver -n '__spellweaver_at -in timeline' -l from -x -d 'Begin here; 24 hours before now, if not said'
complete -c spellweaver -n '__spellweaver_at -in timeline' -l to -x -d 'End here; 24 hours after now, if not said'
complete -c spellweaver -n '__spellweaver_at -in timeline' -l svg -r -F -d 'Write the picture there, as SVG'
complete -c spellweaver -n '__spellweaver_at -in timeline' -l html -r -F -d 'Write it there as one HTML page'
complete -c spellweaver -n '__spellweaver_at -in timeline' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in logs' -l follow -s f -d 'Go on until the run\'s present attempt is over'
complete -c spellweaver -n '__spellweaver_at -in logs' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at -in events' -l follow -s f -d 'Go on with what happens, until Ctrl-C'
complete -c spellweaver -n '__spellweaver_at -in events' -l schedule -x -a '(__spellweaver_names schedules)' -d 'Only what concerns it'
complete -c spellweaver -n '__spellweaver_at -in events' -l type -x -d 'Only this type; occurrence.* takes all that begin so'
complete -c spellweaver -n '__spellweaver_at -in events' -l after-seq -x -d 'Those after this event, from there on'
complete -c spellweaver -n '__spellweaver_at -in events' -l count -s n -x -d 'How many at most: the last 20, if not said'
complete -c spellweaver -n '__spellweaver_at -in cancel' -l reason -x -d 'Why; it goes on record'
complete -c spellweaver -n '__spellweaver_at -in cancel' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in cancel' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at -in resolve' -l reason -x -d 'Why; it goes on record'
complete -c spellweaver -n '__spellweaver_at -in resolve' -l outcome -x -a 'completed failed' -d 'What became of it'
complete -c spellweaver -n '__spellweaver_at -in resolve' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in resolve' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at -in pause' -l reason -x -d 'Why; it goes on record'
complete -c spellweaver -n '__spellweaver_at -in pause' -l until -x -d 'It resumes then by itself; by `resume` alone, if not said'
complete -c spellweaver -n '__spellweaver_at -in pause' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in pause' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in resume' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in resume' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in retire' -l confirm -x -d 'The Schedule\'s name again: this is final'
complete -c spellweaver -n '__spellweaver_at -in retire' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in retire' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at schedule' -a list -d 'Every Schedule, what is in force and what comes next'
complete -c spellweaver -n '__spellweaver_at schedule' -a show -d 'What a Schedule says, and every revision of it'
complete -c spellweaver -n '__spellweaver_at schedule' -a history -d 'What was done to a Schedule, by whom and when: defined, activated, paused, resumed, stopped, retired'
complete -c spellweaver -n '__spellweaver_at schedule' -a diff -d 'What two revisions say differently, key by key'
complete -c spellweaver -n '__spellweaver_at -in schedule list' -l state -x -a 'defined active paused stopped retired' -d 'Only those in this state'
complete -c spellweaver -n '__spellweaver_at -in schedule show' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in schedule history' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in schedule diff' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at occurrence' -a list -d 'The newest firings with what became of them, newest first'
complete -c spellweaver -n '__spellweaver_at occurrence' -a show -d 'Everything that one firing is bound to'
complete -c spellweaver -n '__spellweaver_at occurrence' -a skip -d 'Settles that a firing which waits shall not run'
complete -c spellweaver -n '__spellweaver_at -in occurrence list' -l schedule -x -a '(__spellweaver_names schedules)' -d 'Only its firings'
complete -c spellweaver -n '__spellweaver_at -in occurrence list' -l state -x -a 'pending admitted missed skipped refused coalesced' -d 'Only those in this state'
complete -c spellweaver -n '__spellweaver_at -in occurrence list' -l reason -x -d 'Only those for this reason'
complete -c spellweaver -n '__spellweaver_at -in occurrence list' -l count -s n -x -d 'How many at most, the newest'
complete -c spellweaver -n '__spellweaver_at -in occurrence show' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at -in occurrence skip' -l reason -x -d 'Why; it goes on record'
complete -c spellweaver -n '__spellweaver_at -in occurrence skip' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in occurrence skip' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at invocation' -a list -d 'The newest runs, newest first'
complete -c spellweaver -n '__spellweaver_at invocation' -a show -d 'One run with every attempt, its exit status, and where its output is kept'
complete -c spellweaver -n '__spellweaver_at -in invocation list' -l schedule -x -a '(__spellweaver_names schedules)' -d 'Only its runs'
complete -c spellweaver -n '__spellweaver_at -in invocation list' -l state -x -a 'queued running suspended cancelling contained completed failed cancelled timed_out' -d 'Only those in this state'
complete -c spellweaver -n '__spellweaver_at -in invocation list' -l count -s n -x -d 'How many at most, the newest'
complete -c spellweaver -n '__spellweaver_at -in invocation show' -a '(__spellweaver_names references)'
complete -c spellweaver -n '__spellweaver_at pattern' -a list -d 'Every workflow version in the ledger'
complete -c spellweaver -n '__spellweaver_at pattern' -a show -d 'The stations of a workflow, what follows what, and the command that each is bound to on this host'
complete -c spellweaver -n '__spellweaver_at pattern' -a digest -d 'The SHA-256 of a workflow\'s canonical form, of a version in the ledger or of every one in a file'
complete -c spellweaver -n '__spellweaver_at -in pattern show' -a '(__spellweaver_names patterns)'
complete -c spellweaver -n '__spellweaver_at -in pattern digest' -a '(__spellweaver_names patterns)'
complete -c spellweaver -n '__spellweaver_at policy' -a show -d 'Shows the policy in force, and who applied it when'
complete -c spellweaver -n '__spellweaver_at policy' -a check -d 'Judges the file by itself, and shows the policy that it would make'
complete -c spellweaver -n '__spellweaver_at policy' -a apply -d 'Puts the policy of a file in force as a new generation, and says what changed'
complete -c spellweaver -n '__spellweaver_at -in policy check' -F
complete -c spellweaver -n '__spellweaver_at -in policy apply' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in policy apply' -F
complete -c spellweaver -n '__spellweaver_at zones' -a list -d 'The zone rules that active Schedules fire by, and whether the host\'s are the same'
complete -c spellweaver -n '__spellweaver_at zones' -a drift -d 'Firings to come that would move if a revision took the zone rules of the host'
complete -c spellweaver -n '__spellweaver_at -in zones drift' -l count -s n -x -d 'How many firings at most'
complete -c spellweaver -n '__spellweaver_at -in zones drift' -l for -x -d 'How far ahead to look; two years, if not said'
complete -c spellweaver -n '__spellweaver_at -in zones drift' -a '(__spellweaver_names schedules)'
complete -c spellweaver -n '__spellweaver_at -in doctor' -l full -d 'Read every page and every event, and count every calendar'
complete -c spellweaver -n '__spellweaver_at ledger' -a check -d 'Asks every law of the ledger: its pages, its schema, its journal\'s chain, each firing and run'
complete -c spellweaver -n '__spellweaver_at ledger' -a adopt -d 'Takes a ledger on as it is: one that another machine made, or one that is older than its witness'
complete -c spellweaver -n '__spellweaver_at -in ledger adopt' -l reason -x -d 'Why; it goes on record'
complete -c spellweaver -n '__spellweaver_at -in ledger adopt' -l confirm -x -d 'The ledger\'s name: how its id begins'
complete -c spellweaver -n '__spellweaver_at -in ledger adopt' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in backup' -l dry-run -d 'Decide everything, write nothing, say what would be done'
complete -c spellweaver -n '__spellweaver_at -in backup' -F
complete -c spellweaver -n '__spellweaver_at -in schema' -a '(__spellweaver_names kinds)'
complete -c spellweaver -n '__spellweaver_at -in completions' -a 'bash zsh fish'
