# Texts of `annals language`.

language-from-file = this file
language-the-messages = the messages
language-stored = stored the messages { $name }
language-deleted = deleted the messages { $name }
language-is = the language of { $namespace } is { $now }
