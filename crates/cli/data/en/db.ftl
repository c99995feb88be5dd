# Texts of `annals db`.

db-compacted = { $before } before, { $after } after

db-reembedded = embedded { $texts } with { $embedder }; { $already } had been done before

db-backing-up = copying
db-backed-up = { $values } checked in { $file }, { $bytes }

db-restored = { $values } restored into { $file }
db-restore-without-folders = the folders of projects did not come back ({ $reason }); the next command in each says where it is worked on
db-restore-kept = the database that was there is kept as { $file }
db-restore-force = choose another name with --db, or replace it with --force: it is kept beside the new one

db-repairing = reading what is left
db-repaired = { $memories } saved in { $file }, { $values } read
db-repair-mended = { $count ->
    [one] one flipped bit was put right
   *[other] { $count } flipped bits were put right
}
db-repair-part = lost: namespace { $namespace }, { $kind }, { $id }: { $reason }
db-repair-more = and { $count } more; --json names them
db-repair-rebuilt = namespace { $name } was put together anew from its memories
db-repair-lost = { $count ->
    [one] one part could not be saved; the rest is in { $file }
   *[other] { $count } parts could not be saved; the rest is in { $file }
}

db-file = file
db-size = size
db-namespaces = namespaces
db-memories = memories
db-embedder = embedder
db-dims = { $embedder }, { $dims } numbers a vector

db-usage-none = no language model was asked
db-usage-together = together

db-moving = copying
db-moved = { $values } copied to { $place }, and compared
db-moved-from = { $place } is as it was; write to it no more
db-no-postgres = this program was built without PostgreSQL
db-no-postgres-advice = build it with: cargo install --path crates/cli --features postgres
db-no-variable = the variable { $name } is not set
