# Texts of the command token.

token-made = this is shown once; it is revoked with: annals token revoke { $id }
token-none = there are no tokens
token-revoked = { $id } is revoked
token-unknown = there is no token { $id }
token-over = { $at } is over: the token would let nobody in
token-over-advice = name a time that is yet to come with --expires-at, or leave it out
token-see-list = `annals token list` shows the ids
token-nobody-listens = nothing listens at { $address }: start `annals serve`, or name the address of a server that runs with --listen
token-no-right = "{ $word }" is no right; there are { $known }
