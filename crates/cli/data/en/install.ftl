# Texts of the commands install, uninstall.

install-no-client = it is not a client that annals knows
install-find-project = find the folder of the project,
install-no-folder = there is no folder { $folder }
install-name-folder = name the folder of a project, as in --project=DIR
install-nothing-written = nothing was written
install-backup = {" "}(what it was: { $name })

install-created = created
install-changed = changed
install-deleted = deleted
install-unchanged = unchanged

install-find-database = find the database
install-no-client-named = no client is named
install-name-client = name a client, or --all
install-project-has-hooks = --project brings the hooks along: leave out --hooks
install-none-here = none of the clients is on this machine
install-none-here-advice = name one, and its file is made: `annals install` lists them
install-skipped = { $title }: skipped, { $why }
install-next = { $title }: next, { $step }
install-not-here = it is not on this machine
install-no-projects = it reads nothing from projects
install-hooks-enable = hooks act in no project before `annals hook enable` is run there
install-hooks-act = hooks act in { $roots }; `annals hook enable` lets them act in another project
install-hooks-off = { $title } runs no hooks: `{ $key }` in { $path } switches all of them off
install-cache = the program stands in a cache ({ $path }) that may be emptied: install it for good, for example with `uv tool install annals-memory`, `npm install -g @annals-memory/annals` or `cargo install annals-cli`, and install again
install-not-from-shell = a client that is not started from this shell does not know $ANNALS_DB: name the file with --db
install-keep-out = the files name the program on this machine: keep them out of what others get
install-yes = yes
install-no = no
install-hint = `annals install CLIENT` adds annals, with --hooks its hooks; --all means those that are here
install-outdated = out of date
install-foreign = another program

install-name-client-list = name a client, or --all; `annals install` lists them
install-nothing-there = nothing of annals stands there
install-start-again = restart the clients

## Next steps of clients: in English the crate of clients has them
