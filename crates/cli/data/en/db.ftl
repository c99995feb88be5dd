# Texts of `annals db`.

db-compacted = { $before } before, { $after } after

db-reembedded = embedded { $texts } with { $embedder }; { $already } had been done before

db-file = file
db-size = size
db-namespaces = namespaces
db-memories = memories
db-embedder = embedder
db-dims = { $embedder }, { $dims } numbers a vector

db-usage-none = no language model was asked
db-usage-together = together
