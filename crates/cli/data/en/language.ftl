# Texts of `annals language`.

language-from-file = this file
language-the-messages = the messages
language-stored = stored the messages { $name }
language-deleted = deleted the messages { $name }
language-is = the language of { $namespace } is { $now }
language-namespace-first = there is no namespace { $name }; a language stands behind the namespace
language-namespace-first-advice = annals language use NAMESPACE { $language }
