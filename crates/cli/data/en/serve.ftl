# Texts of the commands serve, mcp.

serve-not-shared = this system or $ANNALS_SHARE does not let processes share a database
serve-owning = owning { $path } as process { $pid }; Ctrl-C ends it
serve-no-signals = cannot listen to signals: { $error }
serve-cut-off = calls under way were cut off: what they had stored so far is kept
serve-owned = process { $pid } owns { $path } already

serve-url = serving { $url }
serve-token = clients bring the token of { $path }: "Authorization: Bearer $({ $command })"
serve-token-given = clients bring the token of ${ $variable }: "Authorization: Bearer $ANNALS_MCP_TOKEN"
serve-no-token = every user of this machine can read and write these memories: no token is asked for
serve-make-token = make the token
serve-token-not-private = { $path } can be read by other users, and lets its reader in to the memories
serve-token-not-private-advice = remove { $path }, so that another token is made
serve-token-damaged = { $path } holds no token
serve-token-damaged-advice = remove { $path }, so that another token is made
serve-project = --project names a project, and a namespace is named as well; give one of them
serve-port = write PORT or ADDRESS:PORT, such as 19876 or 127.0.0.1:19876

serve-http = HTTP at { $url }; Ctrl-C ends it
serve-link = for a browser, within ten minutes and once only: { $link }
serve-programs = for programs: annals token create NAME --namespace { $namespace }
serve-mcp = for MCP clients: { $url }
serve-demo-token = for programs, until this ends: { $token }
serve-open = other machines reach this address: put a proxy with TLS before it, or tokens can be read on the way
serve-demo = the sample conversation, in the namespace { $namespace }; nothing is kept
serve-companion = the page of the companion, within ten minutes and once only: { $link }
serve-companion-taken = the page of the companion has a port of its own, { $address }, which another program uses; open the page at the address below
serve-companion-failed = the page of the companion has a port of its own, { $address }, which cannot be used ({ $error }); open the page at the address below
serve-no-store = --store takes an address such as postgres://user@host/database
serve-twin-taken = something else{ $by } listens at { $address }, where a client that is told `localhost` may send its token: give clients the number of the address
serve-listens-there = {" "}(user { $user })
serve-token-told = another user{ $by } listens there: clients may have sent their token to it; remove the token (`annals mcp token` makes another one, `annals token revoke` ends one of the page), and name another address
serve-overtaken = another process owns the database now
