# Texts of `annals graph`.

graph-number-no-name = { $text } is a number of an entity and cannot be a name
graph-number-no-name-advice = give it a name that does not look like #NUMBER
graph-several-called = { $count } entities are called { $name }
graph-name-one-of = name one of { $numbers }
graph-no-number = there is no { $id } in this namespace
graph-nobody = no entity is called { $name }

graph-deleted = deleted { $triples }
graph-delete-said = { $id }  { $said }; { $sources } it
graph-would-delete = { $triples } would be deleted; add --yes to do it

graph-no-entities = no entities in { $name } that fit
graph-next-page = the next page: --after { $id }
graph-merged-into = merged into #{ $into }
graph-nothing-to-edit = nothing to change was given; see `annals graph edit-entity --help`
graph-no-aliases = it has none
graph-aliases = it has { $names }
graph-no-alias = { $entity } has no other name { $gone }
graph-no-field = { $entity } has no field { $key }
graph-was-merged = { $name } was merged into #{ $into }
graph-was-merged-advice = `annals graph merges` shows the merge, `annals graph unmerge` takes it back
graph-spoken-of = triples speak of { $name }; it goes with the last of them
graph-spoken-of-advice = `annals graph triples --all --subject "#{ $number }"` and `--object "#{ $number }"` show them, `annals graph delete` deletes them
graph-deleted-entity = deleted { $name }
graph-would-delete-entity = { $name } would be deleted; add --yes to do it

graph-link-sleeps = { $id } is forgotten: the link sleeps until `annals restore { $id }`
graph-no-links = this memory has no links
graph-asleep = asleep
graph-added = stored as triple { $id }

graph-above-direct = above { $direct_above } whatever their context
graph-if-context = {" "}if their context fits
graph-above-context = above { $context_above }{ $context }
graph-none-learnt = nothing was merged by likeness yet from which another one could be learnt
graph-learns-none = these are the numbers of the profile, which learns none from merges that were taken back
graph-no-merges = no entities were merged
graph-taken-back = {" "}(taken back { $at })
graph-none-alike = none of { $checked } entities looks like a duplicate of another
graph-merge-found = `annals graph merge --found` merges them
graph-next-page-number = the next page: --after { $next }
graph-nothing-to-merge = there was nothing to merge
graph-became = { $source } became { $target }: `annals graph unmerge { $id }` takes it back
graph-stands-again = { $source } stands for itself again
graph-staying = { $count } said since the merge stayed with { $target }: { $numbers }

graph-no-triples = no triples in { $name } that fit
graph-status = status
graph-visible = visible
graph-since = since
graph-valid-from = valid from
graph-valid-until = valid until
graph-said-sleeps = { $id } is forgotten: what only it says sleeps until `annals restore { $id }`

graph-nothing-around = nothing is around { $entity } in { $name }
graph-no-way-limit = no way from { $from } to { $to } was found before the limit of --{ $limit } was reached
graph-no-way = no way of at most { $steps } leads from { $from } to { $to }
graph-ways-between = { $several }; the ways between two of them: name each by its number
graph-one-entity = { $from } and { $to } are one entity
graph-several = { $count } entities are called { $name }: { $numbers }
graph-more = there may be more: the limit of --{ $cut } was reached

graph-entities = entities
graph-merged = merged
graph-triples = triples
graph-evidence = evidence
graph-links = links
graph-no-says = this memory says no triple
graph-no-clash = nothing contradicts what this memory says
graph-suspected = suspected  { $other }  { $text }
graph-clash-against = {"  "}against { $other }
graph-clash-said = {"  "}said by { $memories }
graph-exported = exported the graph to { $file }

graph-linked = linked { $from } { $relation } { $to }
graph-unlinked = unlinked { $from } { $relation } { $to }
graph-no-such-link = there was no such link: { $from } { $relation } { $to }
