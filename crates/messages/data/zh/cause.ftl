# 错误的原因。英文说法在各个库里。

cause-at-line = 第 { $line } 行：{ $cause }
cause-at-message = 第 { $message } 条消息：{ $cause }
cause-at-turn = 发言 { $turn }：{ $cause }

cause-value-empty = { $field }为空；请至少给出一个可见字符
cause-value-too-long = { $field }有 { $bytes } 字节；最多允许 { $limit } 字节
cause-value-too-many = { $field }有 { $count } 项；最多允许 { $limit } 项
cause-value-bad-label = { $field } { $value } 含有控制字符，或以空白开头或结尾；请去掉
cause-value-unknown = { $field }不能是 { $value }；可以是：{ $allowed }
cause-value-out-of-range = { $field }是 { $value }；必须是 { $min } 到 { $max } 之间的数
cause-value-bad-time = { $value } 不是日期或时间；请写成 2026-01-03、2026-01-03T18:00:00 或 2026-01-03T18:00:00+01:00
cause-value-bad-id = { $value } 不是记忆编号；编号形如 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
cause-value-backwards = { $field }的结束（{ $end }）早于开始（{ $start }）
cause-value-too-deep = 元数据 { $key } 的嵌套超过 { $limit } 层

cause-line-not-text = 不是 UTF-8：第 { $byte } 个字节不是文字
cause-import-unknown-json = 这是 JSON，但不是已知的形式（字段：{ $names }）；用 `--column text=字段` 指明文本所在的字段，或用 `--format` 指明格式
cause-import-no-json = 开头像 JSON 却不是（名称和文本要用双引号），或者是 UTF-16 编码；请存为 UTF-8 的 JSON，如果只是文字就用 `--format notes`
cause-import-kind-database = 这是未知程序的 SQLite 数据库：没有可以导入的内容
cause-import-kind-pdf = 这是 PDF 文档：没有可以导入的内容
cause-import-kind-picture = 这是图片：没有可以导入的内容
cause-import-kind-recording = 这是录音或视频：没有可以导入的内容
cause-import-kind-archive = 这是不会解开的压缩包（会解开 zip、gzip 和 zstd）：没有可以导入的内容
cause-import-kind-html = 这是 HTML 网页：没有可以导入的内容
cause-import-kind-binary = 这不是文本：没有可以导入的内容
cause-import-date-order = 无法判断日期里日和月的先后；请写 `--date-order dmy` 或 `--date-order mdy`
cause-import-no-column = 没有名为 { $column } 的列；有这些列：{ $all }
cause-import-no-text-column = 没有哪一列是文本；请用 `--column text=列名` 指明：有 { $all }
cause-line-several-sessions = 同一份列表里的消息写了不同的会话

cause-json-ends = 不是完整的 JSON：内容在中途结束
cause-json-syntax = 不是 JSON：第 { $column } 个字符不该出现在那里
cause-json-missing = 缺少字段 `{ $field }`
cause-json-unknown = 没有字段 `{ $field }`；可用的字段有：{ $known }
cause-json-kind-text = `{ $field }` 是 { $given }；必须是一段文字
cause-json-kind-whole = `{ $field }` 是 { $given }；必须是整数
cause-json-kind-number = `{ $field }` 是 { $given }；必须是数
cause-json-kind-boolean = `{ $field }` 是 { $given }；必须是 true 或 false
cause-json-kind-list = `{ $field }` 是 { $given }；必须是列表
cause-json-kind-object = `{ $field }` 是 { $given }；必须是对象
cause-json-kind-time = `{ $field }` 是 { $given }；必须是 "2026-01-31T18:00:00Z" 这样的时间，或自 1970 年起的秒数或毫秒数
cause-json-kind-id = `{ $field }` 是 { $given }；必须是文字或数
cause-json-kind-any = `{ $field }` 不能是 { $given }
cause-json-word = `{ $field }` 是 { $given }；可以是：{ $allowed }
cause-json-other = `{ $field }` 的值不能使用

cause-record-no-namespace = 没有命名空间 { $name }；请新建，或核对名称
cause-record-namespace-exists = 命名空间 { $name } 已经存在；请换一个名称
cause-record-not-found = 这个命名空间里没有记忆 { $id }
cause-record-no-origin = 记忆 { $id } 的来源 { $origin } 不在这个命名空间里
cause-record-own-origin = 记忆 { $id } 不能以自己为来源；请指定另一条记忆
cause-record-id-taken = 编号 { $id } 已属于内容不同的另一条记忆；请换一个编号导入，或修改那条记忆
cause-record-superseded = 记忆 { $id } 已被取代；请修改取代它的那一条
cause-record-superseded-by = 记忆 { $id } 已被 { $by } 取代；请修改后者

cause-profile-unknown-zone = 这个系统没有时区 { $name }；请写成 Europe/Berlin 这样
cause-profile-unknown-kind = 配置方案没有类型 { $kind }；可以是：{ $allowed }
cause-profile-no-kind = 在这个配置方案下记忆必须有类型：{ $allowed }
cause-profile-unknown-source = 配置方案没有来源 { $name }；可以是：{ $allowed }
cause-profile-unknown-class = 配置方案没有类别 { $class }；可以是：{ $allowed }
cause-profile-no-job = 配置方案没有作业 { $name }
cause-profile-no-task = 没有任务 { $task }
cause-profile-claimed = 任务 { $task } 正在处理，最迟到 { $until }；请在那之后再试
cause-profile-no-review = 这条记忆没有等待裁定

cause-graph-no-entity = 这个命名空间里没有实体 { $number }
cause-graph-no-triple = 这个命名空间里没有三元组 { $number }
cause-graph-no-merge = 这个命名空间里没有可撤销的合并 { $number }
cause-graph-self-tie = 记忆不能与自己相连；请指定另一条记忆
cause-graph-same-entity = 实体 { $number } 与自己已经是同一个
cause-graph-no-relation = 记忆之间没有关系 { $name }；可以是：{ $allowed }
cause-graph-bad-cursor = 这个游标不属于这次查询；请不带游标重新开始
cause-graph-no-memory = 没有名为 { $name } 的记忆；请先导入记忆

cause-storage-full = 磁盘空间已用完；请腾出一些空间再试
cause-storage-repeated = 这次调用至少有一部分已由另一个进程完成，但它在答复前结束了；没有重复执行：请查看结果，缺少的部分请重新调用
cause-storage-read-only = { $path } 不能写入；请给这个用户写入该文件及其文件夹的权限
cause-storage-no-folder = { $path }：它的文件夹不存在；请先新建
cause-storage-not-a-file = { $path } 不是普通文件；请指定一个文件
cause-storage-not-a-database = { $path } 不是本程序的数据库；请指定另一个文件，这个文件没有改动
cause-storage-too-new = { $what }：格式版本 { $found } 比本程序所知的最新版本 { $supported } 还新；请使用更新版本的程序
cause-storage-too-old = { $what }：格式版本 { $found } 比本程序能迁移的最旧版本 { $supported } 还旧；请先用旧版本的程序迁移
cause-storage-file-exists = { $path } 已经存在；请指定另一个文件，或让它被替换
cause-storage-opened-read-only = 文件是以只读方式打开的；请以可写方式打开
cause-storage-poisoned = 先前的故障使数据库停止使用；请重新打开这个文件

## 数据库不照办的请求

cause-refusal-no-decision = 没有决定 { $number }；它已随某条记忆一起删除，或者太早没有保留
cause-refusal-decision-taken-back = 决定 { $number } 早已撤回
cause-refusal-decision-without-effect = 决定 { $number } 没有改动任何内容，没有可撤回的
cause-refusal-decision-deleted = 决定 { $number } 已彻底删除那条记忆；配置方案的 `review.delete_after_days` 大于 0 时，会先保留这么多天
cause-refusal-status-changed-since = 记忆 { $id } 的状态后来又变过；请手动指定状态
cause-refusal-earlier-text-gone = 记忆 { $id } 原来的文本已不存在
cause-refusal-changed-since = 记忆 { $id } 后来又改过；请手动修改
cause-refusal-deleted-for-good = 最近一次改动是彻底删除，不能恢复；没有作任何改动。要撤回某条记忆自己的最近一次改动，请写出它的编号
cause-refusal-link-taken-away = 最近一次改动是取消连接，没有留存；请重新连接
cause-refusal-changed-too-many = 最近一次改动（{ $change }）涉及 { $limit } 条以上的记忆，没有留存；请列出它们后手动修改
cause-refusal-nothing-to-undo = 没有可以撤回的改动：{ $minutes } 分钟以前存入的内容不再撤回
cause-refusal-last-was-import = 最近一次改动是导入；请指明一条记忆，撤回它自己的最近一次改动
cause-refusal-last-was-turns = 最近一次改动是存入对话的发言；请指明一条发言或记忆，撤回它自己的最近一次改动
cause-refusal-stored-too-long-ago = 记忆 { $id } 存入已超过 { $minutes } 分钟，不能撤回；请删除它，或恢复它所取代的内容
cause-refusal-replaced-one-gone = 记忆 { $id } 取代的那一条已不存在；请重新存入那条的内容
cause-refusal-changed-after-storing = 记忆 { $id } 存入后又改过，改动没有留存；请手动修改或删除
cause-refusal-no-profile = 没有配置方案“{ $name }”；可以是：{ $known }，或存入这个数据库的方案
cause-refusal-builtin-profile = 配置方案“{ $name }”是自带的，不能替换；请换一个名称
cause-refusal-unknown-kinds = 配置方案“{ $profile }”没有命名空间“{ $namespace }”中这些记忆的类型：{ $kinds }；请先把它们改为其中之一：{ $allowed }，或者删除它们
cause-refusal-no-mirrors = 配置方案“{ $profile }”不把记忆写成文件；请改用 `markdown` 或 `agent`，或在自己的方案里写 [[mirrors.files]]
cause-refusal-no-promotion = 这个配置方案没有永久保留的类别（review.promoted_class）；请用“保留”
cause-refusal-no-such-review = 记忆 { $id } 没有等待这种裁定
cause-refusal-sensitive = 文本里有配置方案“{ $profile }”拒绝保存的内容（{ $kind_of_secret }）；请去掉，或在方案的 [privacy] 中设为遮盖
cause-refusal-no-language = 没有语言“{ $code }”的消息；可以是：{ $known }，或另外存入的语言
cause-refusal-no-messages = 没有名为“{ $name }”的消息文件
cause-refusal-no-page = 这不是上一页给出的位置；请原样使用上一页给出的“下一页”的值
cause-refusal-no-suspicion = { $newer } 与 { $older } 之间没有疑似矛盾
cause-refusal-no-proposal = 没有待处理的提议 { $id }；它已被接受或拒绝
cause-refusal-kept-by-application = 记忆 { $id } 由应用程序保留，不因提议而删除；请拒绝这个提议
cause-refusal-self-link = 记忆 { $id } 不能与自己相连；请指定另一条记忆
cause-refusal-no-job = 没有命名空间使用带有作业“{ $job }”的配置方案“{ $profile }”
cause-refusal-no-task = 没有编号为 { $number } 的后台任务
cause-refusal-no-transcript = 没有一行是 { $format } 的对话记录

## 消息文件

cause-messages-name = “{ $name }”不是消息文件的名称；请写一种语言，如 de，或语言加设计，如 de/studio
cause-messages-syntax = 消息文件“{ $name }”的第 { $line_number } 行不符合 Fluent 格式；每条消息应写成“名称 = 文字”，续行要缩进
cause-messages-unknown = 消息文件“{ $name }”里的“{ $id }”不是本程序的消息；`annals language show en` 列出全部消息
cause-messages-place = 消息文件“{ $name }”的“{ $id }”用了“{ $place }”，这里没有这个值；可用的有：{ $allowed }

## 一条记忆不合条件的原因

cause-mismatch-missing = 它不存在
cause-mismatch-not-yet-stored = 它在 { $at } 才存入
cause-mismatch-replaced = 它在 { $at } 被取代
cause-mismatch-status = 状态是“{ $status }”
cause-mismatch-layer = 它属于层 { $layer }
cause-mismatch-kind = 类型不同
cause-mismatch-session = 它属于另一个会话，或不属于任何会话
cause-mismatch-speaker = 说话人不同，或没有说话人
cause-mismatch-tag = 它没有所要的标签
cause-mismatch-time = 它的时间 { $at } 不在所要的范围内
cause-mismatch-not-valid = 它在所问的时刻不成立
cause-mismatch-expired = 它已在 { $at } 过期

## 配置方案和设置

cause-key-other = 键 { $key }：{ $reason }
cause-key-share = 键 { $key } 的值 { $value } 不在 0 到 1 之间
cause-key-from-0 = 键 { $key } 的值 { $value } 不是大于或等于 0 的数
cause-key-above-0 = 键 { $key } 的值 { $value } 不是大于 0 的数
cause-key-not-one-of = 键 { $key } 不能是“{ $value }”；可以是：{ $allowed }
cause-key-name-twice = 键 { $key }：名称“{ $value }”为空，或给了两次
cause-key-path = 键 { $key }：“{ $value }”必须是文件夹之下的路径，各段之间用 /
cause-key-language = “{ $value }”不是语言；请写 "auto"、"en"、"zh" 或别的语言标签
cause-toml-unknown-key = 没有键“{ $name }”；可以是：{ $allowed }
cause-toml-unknown-word = 不能是“{ $name }”；可以是：{ $allowed }
cause-toml-missing-key = 缺少键“{ $name }”
cause-toml-twice = 键“{ $name }”给了两次
cause-toml-no-number = 这里的值必须是数
cause-toml-no-whole-number = 这里的值必须是整数，而且不能超出允许的范围
cause-toml-no-boolean = 这里的值必须是 true 或 false
cause-toml-no-text = 这里的值必须是一段文字，写在引号里
cause-toml-no-list = 这里的值必须是列表
cause-toml-other-kind = 这里的值不能使用
cause-toml-no-toml = 这一行不是 TOML

cause-storage-foreign = { $path } 属于{ $owner }，对方能读取和改动其中的内容；请使用自己的文件，放在只有自己能写的文件夹里，或用 ANNALS_ALLOW_FOREIGN=1 允许使用它
