"""Processes, pidfd, /proc and sockets. Nothing here knows a Schedule."""
