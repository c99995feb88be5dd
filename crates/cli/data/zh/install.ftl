# 命令 install、uninstall 的文字。

install-no-client = 不是已知的客户端
install-find-project = 查找项目文件夹
install-no-folder = 没有文件夹 { $folder }
install-name-folder = 请指定项目文件夹，例如 --project=DIR
install-nothing-written = 没有写入任何内容
install-backup = （原来的内容：{ $name }）

install-created = 已新建
install-changed = 已修改
install-deleted = 已删除
install-unchanged = 没有变化

install-find-database = 查找数据库
install-no-client-named = 没有指定客户端
install-name-client = 请指定客户端，或用 --all
install-project-has-hooks = --project 会连同钩子一起加入：请去掉 --hooks
install-none-here = 这台机器上没有任何已知的客户端
install-none-here-advice = 指定一个客户端就会创建它的文件：`annals install` 列出所有客户端
install-skipped = { $title }：略过，{ $why }
install-next = { $title }：接下来，{ $step }
install-not-here = 不在这台机器上
install-no-projects = 它不从项目读取任何配置
install-hooks-enable = 钩子在运行 `annals hook enable` 的项目里才生效
install-hooks-act = 钩子在 { $roots } 生效；在别的项目里运行 `annals hook enable` 也可启用
install-hooks-off = { $title } 不会运行任何钩子：{ $path } 里的 `{ $key }` 把所有钩子都关闭了
install-cache = 本程序位于可能被清空的缓存里（{ $path }）：请正式安装，例如 `uv tool install annals-memory`、`npm install -g @annals-memory/annals` 或 `cargo install annals-cli`，然后重新运行 install
install-not-from-shell = 不从这个 shell 启动的客户端不知道 $ANNALS_DB：请用 --db 指定文件
install-keep-out = 这些文件写明了本机上程序的路径：不要把它们分享给别人
install-yes = 是
install-no = 否
install-hint = `annals install CLIENT` 加入 annals，加上 --hooks 则连同钩子；--all 表示本机上的所有客户端
install-outdated = 已过时
install-foreign = 另一个程序

install-name-client-list = 请指定客户端，或用 --all；`annals install` 列出它们
install-nothing-there = 那里没有 annals 的任何内容
install-start-again = 请重新启动这些客户端

## 各客户端的下一步

install-step-claude-code = 新开一个会话；`/mcp` 显示服务器
install-step-claude-code-hooks = 新开一个会话；`/mcp` 显示服务器，`/hooks` 显示钩子
install-step-claude-desktop = 退出 Claude Desktop（不只是关闭窗口）后重新启动
install-step-cursor = 重新启动 Cursor，并在 Settings 的 MCP 里打开这个服务器
install-step-cursor-hooks = 重新启动 Cursor，并在 Settings 的 MCP 里打开这个服务器
install-step-vscode = 在 VS Code 里运行 `MCP: List Servers`，启动并信任服务器 annals
install-step-codex = 新开一个会话；`/mcp` 显示服务器
install-step-codex-hooks = 新开一个会话，用 `/hooks` 信任这些钩子：在此之前它们不会运行
install-step-gemini-cli = 新开一个会话；`/mcp` 显示服务器
install-step-gemini-cli-hooks = 新开一个会话；`/mcp` 显示服务器，`/hooks` 显示钩子
install-step-antigravity = 在 MCP Servers 下刷新列表，或新开一个会话
install-step-zed = 打开 Zed 里 agent 面板的设置：服务器运行时显示绿点
install-step-copilot-cli = 新开一个会话；`/mcp show` 列出服务器
install-step-copilot-cli-hooks = 新开一个会话；`/mcp show` 列出服务器
