# 命令 serve、mcp 的文字。

serve-not-shared = 本系统或 $ANNALS_SHARE 不允许多个进程共享数据库
serve-owning = 本进程（{ $pid }）持有 { $path }；按 Ctrl-C 结束
serve-no-signals = 无法接收信号：{ $error }
serve-cut-off = 正在进行的调用被中断：它们已保存的内容不会丢失
serve-owned = 进程 { $pid } 已经持有 { $path }

serve-url = 正在提供服务：{ $url }
serve-token = 客户端须带上 { $path } 中的令牌："Authorization: Bearer $({ $command })"
serve-token-given = 客户端须带上 ${ $variable } 中的令牌："Authorization: Bearer $ANNALS_MCP_TOKEN"
serve-no-token = 不要求令牌：本机的每个用户都能读写这些记忆
serve-make-token = 生成令牌
serve-token-not-private = { $path } 可被其他用户读取，而凭它就能访问这些记忆
serve-token-not-private-advice = 删除 { $path }，会另外生成一个令牌
serve-token-damaged = { $path } 中没有令牌
serve-token-damaged-advice = 删除 { $path }，会另外生成一个令牌
serve-project = --project 指定了项目，又指定了命名空间；只能给其中一个
serve-port = 写成 PORT 或 ADDRESS:PORT，例如 19876 或 127.0.0.1:19876

serve-http = HTTP 地址：{ $url }；按 Ctrl-C 结束
serve-link = 供浏览器使用，十分钟内有效，只能用一次：{ $link }
serve-programs = 供程序使用：annals token create NAME --namespace { $namespace }
serve-mcp = 供 MCP 客户端使用：{ $url }
serve-demo-token = 供程序使用，到本进程结束为止：{ $token }
serve-open = 其他机器可以访问此地址：请在前面放置带 TLS 的代理，否则令牌会在途中被读取
serve-demo = 示例对话，位于命名空间 { $namespace }；不保存任何内容
serve-companion = companion 的网页，十分钟内有效，只能用一次：{ $link }
serve-companion-taken = companion 的网页另用端口 { $address }，但该端口已被占用；请用下面的地址打开
serve-companion-failed = companion 的网页另用端口 { $address }，但无法使用（{ $error }）；请用下面的地址打开
serve-no-store = --store 需要形如 postgres://user@host/database 的地址
serve-twin-taken = 另有程序{ $by }在 { $address } 监听，使用 `localhost` 的客户端可能会把令牌发给它：请让客户端使用数字地址
serve-listens-there = （用户 { $user }）
serve-token-told = 另一个用户{ $by }在那里监听：客户端可能已把令牌发给它；请删除令牌（`annals mcp token` 会另外生成，页面的令牌用 `annals token revoke` 吊销），并换一个地址
serve-overtaken = 数据库现由另一个进程持有
