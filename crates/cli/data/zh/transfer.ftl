# 命令 import、export、sync 的文字。

transfer-removed = 已移除镜像文件 { $path }
transfer-left = 有一个镜像文件留待下次 `annals sync`：{ $left }
transfer-failed = 失败
transfer-file-removed = 已移除
transfer-written = 已写入
transfer-written-conflict = 已写入；两边都有改动，较早的文本留在历史里
transfer-unchanged = 没有变化
transfer-conflict = 两边都有改动，较早的文本留在历史里
transfer-not-in-step = { $files } 个文件没有同步成功；第一个：{ $first }

transfer-exported = 已把 { $count }导出到 { $file }
transfer-export-only = 只导出了 { $name }；加上 --global 导出在所有项目中都成立的内容
transfer-form-leaves = 略过 { $count }：{ $why }
transfer-form-no-turns = 这种形式不含对话的发言，也不含已隐藏的记忆
transfer-form-turns-only = 这种形式只含对话的发言
transfer-form-in-use = 其他程序的形式只含正在使用的记忆，不含已隐藏或已失效的

transfer-every = --every 应当是大于 0 的秒数
transfer-folder-of-profile = 文件夹 { $folder } 只由配置方案指定，而配置方案可能来自别人
transfer-name-that-folder = 如果要把文件放在那里：`annals sync { $folder }`
transfer-no-folder-set = 没有为文件设置文件夹，配置方案也没有指定；请给出一个：`annals sync FOLDER`
transfer-cannot-make-folder = 无法创建文件夹 { $folder }：{ $cause }
transfer-folder-is-link = { $link } 是指向 { $target } 的链接，可能是别人放在这里的
transfer-name-real-folder = 请写出它所指的文件夹，或加上 --follow
transfer-read-folder = 读取文件夹
transfer-create = 加上 `--create` 创建它；没有写入任何内容

transfer-all-several = --all 会存入多个命名空间，而这里只能处理一个
transfer-choose-conversation = 用 --conversation ID 选择一个
transfer-is-export = 这个文件是导出的文件
transfer-has-sessions = 这个文件里的会话已有名称
transfer-session = --session 只用于消息文件；{ $held }
transfer-bring-back = --bring-back 只用于发言、对话、消息和对话记录；导出的文件会恢复全部内容
transfer-episode =
    已存入 1 个情景
    { $id }
transfer-no-episode = 存入 0 个情景；它已经在了

transfer-resume-other = 在 { $name } 里中断的导入来自 { $source }
transfer-resume-none = 命名空间 { $name } 没有中断的导入
transfer-from-line = 请指明从哪一行继续：--from-line LINE

transfer-conversation-flags = --conversation 和 --all 只用于对话文件；这个文件是按行的
transfer-cannot-refused = 无法写出被拒绝的行：{ $cause }
transfer-line-left-out = 第 { $line } 行被略过：{ $reason }
transfer-stored-none = 什么都没有存入
transfer-stored-one = 第 1 行已经存入
transfer-stored-lines = 第 1 到 { $done } 行已经存入
transfer-again = 重新导入
transfer-resume = 用 --resume 继续
transfer-go-on = 用 --from-line { $next } 继续
transfer-correct = { $stored }；请改正第 { $next } 行后{ $again }，或用 --skip-bad FILE 略过它
transfer-stored = 已存入 { $memories }
transfer-and-parts = ，以及 { $parts }
transfer-and-judged = ，以及 { $judged }
transfer-left-out = ，略过 { $left_out }：它们涉及的内容不全在这里
transfer-lines-left-out = ，略过 { $lines }

transfer-line-flags = --resume、--from-line 和 --skip-bad 只用于按行的文件；一个对话是一整个文档
transfer-stored-turns = 已存入 { $conversations }中的 { $turns }
transfer-no-transcript = { $file } 不是 { $name } 的对话记录：{ $error }
transfer-name-format = 用 --format 指明格式，或者不写 --format
transfer-no-messages = { $file } 不能作为消息读取：{ $error }
transfer-several = { $file } 里有 { $count } 个对话：{ $names }
transfer-choose-or-all = 用 --conversation ID 选择一个，或用 --all 把每个对话导入各自的命名空间

transfer-messages-form = 格式为 { $form }，或者每行一个

transfer-already-there = ，{ $count } 条已经在了
transfer-deleted-since = ，{ $count } 条存入后已被删除，不再恢复（见 --bring-back）
transfer-differing = ；其中 { $count } 条与其会话中同一位置的内容不同，排在最后

## 其他程序的文件

transfer-no-file = 请指定要导入的文件、文件夹或压缩包
transfer-no-files-there = --agents 和 --undo 会自己确定对象；不要再指定文件
transfer-column-form = 写成 WHAT=NAME，例如 text=message
transfer-record-flags = --resume、--from-line、--conversation、--all 和 --format last-chat 只用于单个按行的文件或对话文件；已有的内容会被认出，再导入一次即可继续
transfer-other-files = 略过 { $count } 个其他类型的文件：{ $names }{ $more }
transfer-nothing-known = 这些文件里没有可以导入的内容：{ $names }
transfer-nothing-there = { $path } 里没有文件
transfer-formats = `annals import --help` 列出各种格式；--dry-run 会说明文件是什么
transfer-leave-format = 去掉 --format，由每个文件的内容判断格式
transfer-not-read = { $file }：{ $error }
transfer-skip-record = 用 --skip-bad FILE 略过它；它之前的内容已经存入，再次导入时会被认出
transfer-stopped = 此前已存入 { $stored }；改正文件后再导入，已有的内容会被认出
transfer-line-bad = 第 { $line } 行无法读取：{ $reason }
transfer-stored-records = 已从 { $files }（{ $formats }）存入 { $memories }
transfer-records-left-out = ，略过 { $count } 条记录
transfer-dry = 没有存入任何内容（--dry-run）
transfer-foreseen = { $format }，{ $files }：{ $about }
transfer-foreseen-turns = {"  "}{ $sessions } 个会话中的 { $turns }
transfer-foreseen-speakers = {"  "}说话人：{ $speakers }
transfer-foreseen-memories = {"  "}带来 { $memories }
transfer-foreseen-span = {"  "}从 { $first } 到 { $last }
transfer-foreseen-left = {"  "}略过：{ $told }
transfer-left-count = { $what } { $count } 项
transfer-no-run = { $name } 里没有可以撤回的导入
transfer-would-undo = 将删除 { $began } 那次导入的 { $memories }（--dry-run）
transfer-undone = 已删除 { $began } 那次导入的 { $memories }
transfer-agents-stored = { $name }：从 { $files }存入 { $turns }，{ $already } 条已经在了
transfer-agents-would = { $name }：{ $files }中有 { $turns }
transfer-agents-none = { $home } 里没有编程智能体的对话记录
transfer-agents-namespace = --agents 把每份对话记录存入其项目的命名空间：请去掉 --namespace
transfer-agents-no-home = 不知道主文件夹在哪里；请设置 HOME
transfer-watch-no-folder = 请给出要监视的文件夹：annals import --watch FOLDER
transfer-watch-folder = { $path } 不是文件夹：--watch 只接受文件夹
transfer-watch-flags = --watch 导入到来的一切，并指出读不了的内容：--resume、--from-line、--conversation、--all 和 --skip-bad 只用于单次导入
transfer-watch-signals = 无法接收结束信号：{ $cause }
transfer-watching = 正在监视 { $names }；按 Ctrl-C 结束
transfer-watch-took = { $name }：存入 { $memories }（{ $format }）
transfer-watch-bad = { $name }：略过第 { $line } 行：{ $reason }
transfer-watched = 从 { $files }存入 { $memories }
transfer-notes-folder = 笔记是一个文件夹：请指定一个
transfer-folder-used = { $folder } 不是空文件夹
transfer-folder-force = 请换一个文件夹，或加上 --force：同名文件会被替换

## 导入时略过的内容；英文词来自库

transfer-left-entries-of-subagents = 子智能体的条目
transfer-left-entries-of-the-program = 系统提示
transfer-left-calls-of-tools-and-their-results = 工具调用及其结果
transfer-left-thoughts = 思考过程
transfer-left-summaries-of-what-was-said-before = 对先前内容的摘要
transfer-left-entries-of-unknown-types = 未知类型的条目
transfer-left-items-that-are-no-messages = 不是消息的条目
transfer-left-calls-of-tools-without-a-name = 没有名称的工具调用
transfer-left-parts-that-are-no-text = 不是文本的部分
transfer-left-instructions = 指令
transfer-left-results-without-a-call = 没有对应调用的结果
transfer-left-messages-without-a-text = 没有文本的消息
transfer-left-calls-of-tools-without-an-answer = 没有结果的工具调用
transfer-left-turns-of-branches-that-were-not-kept = 未保留分支上的发言
transfer-left-messages-that-were-deleted = 已删除的消息
transfer-left-messages-that-were-taken-back = 已撤回的消息
transfer-left-conversations-that-are-not-to-be-remembered = 标明不要记住的对话
transfer-left-texts-of-documents = 文档原文
transfer-left-memories-that-were-deleted = 已删除的记忆
transfer-left-answers-that-say-that-nothing-changed = 说明没有变化的答复
transfer-left-relations-without-an-end = 缺少一端的关系
transfer-left-entries-that-are-no-texts = 不是文本的条目
transfer-left-pictures-and-files-that-were-not-exported = 未导出的图片和文件
transfer-left-stickers = 贴纸
transfer-left-files-in-letters-that-are-too-long = 过长邮件里的文件
transfer-left-last-lines-that-are-cut-off = 末尾被截断的行
transfer-left-lines-that-are-no-JSON-objects = 不是 JSON 对象的行
transfer-left-messages-without-a-text-of-their-own = 没有自己文本的消息
transfer-not-chosen = { $file } 把 { $id } 作为对话的命名空间，而智能体会读到它：这不能由文件决定
transfer-choose = 单独导入它，并指定命名空间：--conversation { $id } -n NAME

transfer-passed-over = { $own } 没有读取：这个配置方案的记忆在 { $path } 里
transfer-more-warnings = { $path }：另有 { $count } 条提示；--json 列出全部
transfer-kept-in = 没有采用的文字保存在 { $path } 里
