# Texts of `annals queue`.

queue-again-all = queued again: { $work }
queue-none = no background work waits
queue-left-out = left out of what models answered last:
queue-waits = waits
queue-running = is being done
queue-given-up = given up

queue-dropped = dropped { $number }
queue-again = queued again { $number }
