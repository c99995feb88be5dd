# 命令 serve、mcp 的文字。

serve-not-shared = 本系统或 $ANNALS_SHARE 不允许多个进程共享数据库
serve-owning = 本进程（{ $pid }）持有 { $path }；按 Ctrl-C 结束
serve-no-signals = 无法接收信号：{ $error }
serve-owned = 进程 { $pid } 已经持有 { $path }

serve-url = 正在提供服务：{ $url }
serve-project = --project 指定了项目，又指定了命名空间；只能给其中一个
serve-port = 写成 PORT 或 ADDRESS:PORT，例如 19876 或 127.0.0.1:19876
