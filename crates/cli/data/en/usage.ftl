# Answers and complaints about arguments. The parser has English words of its own for most of them.

usage-takes-a-command = `{ $parent }` takes a command
usage-see-help = see `{ $parent } --help`
usage-no-command = there is no command `{ $parent } { $word }`
usage-lists-commands = `{ $parent } --help` lists the commands
usage-unknown = unexpected argument '{ $arg }' found
usage-no-value = a value is required for '{ $arg }' but none was supplied
usage-bad-value = invalid value '{ $value }' for '{ $arg }'
usage-refused-value = invalid value '{ $value }' for '{ $arg }': { $reason }
usage-too-many-values = unexpected value '{ $value }' for '{ $arg }' found; no more were expected
usage-too-few-values = '{ $arg }' needs at least { $least } values
usage-number-of-values = '{ $arg }' takes { $expected } values
usage-conflict = the argument '{ $arg }' cannot be used with '{ $other }'
usage-missing = the following required arguments were not provided: { $args }
usage-no-equals = equal sign is needed when assigning values to '{ $arg }'
usage-not-unicode = invalid UTF-8 was detected in one or more arguments
usage-known-values = possible values: { $values }
usage-alike = similar: { $alike }
usage-usage = usage: { $usage }
usage-heading-usage = Usage:
usage-heading-commands = Commands:
usage-heading-arguments = Arguments:
usage-heading-options = Options:
usage-default = {" "}[default: { $value }]
usage-values = {" "}[possible values: { $values }]
