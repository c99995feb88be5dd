# 命令 token 的文本。

token-made = 只显示这一次；吊销：annals token revoke { $id }
token-none = 没有令牌
token-revoked = 已吊销 { $id }
token-unknown = 没有令牌 { $id }
