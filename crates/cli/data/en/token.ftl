# Texts of the command token.

token-made = this is shown once; it is revoked with: annals token revoke { $id }
token-none = there are no tokens
token-revoked = { $id } is revoked
token-unknown = there is no token { $id }
