# 命令 token 的文本。

token-made = 只显示这一次；吊销：annals token revoke { $id }
token-none = 没有令牌
token-revoked = 已吊销 { $id }
token-unknown = 没有令牌 { $id }
token-over = { $at } 已经过去：这样的令牌不能使用
token-over-advice = 请用 --expires-at 给出将来的时间，或者不写
token-see-list = `annals token list` 列出编号
token-nobody-listens = { $address } 处没有服务器：请运行 `annals serve`，或用 --listen 指明服务器所用的地址
token-no-right = 没有权限“{ $word }”；可以是：{ $known }
