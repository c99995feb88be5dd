# 多个命令共用的文字。

## 数量

common-memories = { $count } 条记忆
common-triples = { $count } 个三元组
common-entities = { $count } 个实体
common-links = { $count } 个连接
common-windows = { $count } 个对话片段
common-windows-were = { $count } 段对话
common-times = { $count } 次
common-proposals-wait = { $count } 条提议待处理
common-problems = { $count } 个问题
common-namespaces = { $count } 个命名空间
common-decisions-and-waits = { $count } 条决定或待办
common-values = { $count } 个值
common-turns = { $count } 轮发言
common-texts = { $count } 段文本
common-steps = { $count } 步
common-projects = { $count } 个项目
common-pieces-of-work = { $count } 项后台任务
common-parts-of-graph = 图中的 { $count } 项
common-pairs = { $count } 对记忆
common-mirrored-files = { $count } 个镜像文件
common-memories-say = { $count } 条记忆说到
common-lines = { $count } 行
common-files = { $count } 个文件
common-conversations = { $count } 个对话
common-comma = 、

## 文件

common-read = 读取
common-write = 写入

common-check-path = 请检查路径
common-foreign-file = { $path } 属于{ $owner }，对方能读取和改动其中的内容
common-not-a-file = { $path } 不是普通文件
common-other-names = { $path } 还有其他名称（硬链接），指向同一个文件
common-remove-foreign = 请删除它，或换到只有自己能写的文件夹里
common-check-rights = 请检查该文件及其文件夹的权限
common-choose-folder = 请换一个可以写入的文件夹
common-free-space = 请腾出一些磁盘空间后重试
common-name-file-not-folder = 请指定文件，而不是文件夹
common-check-disk = 请检查路径和磁盘
common-cannot = 无法{ $doing } { $path }：{ $cause }
common-error = 错误：
common-because = 原因：
common-try = 建议：
common-see-memories = `annals list` 列出各条记忆的编号；是不是在另一个 --namespace 里？
common-see-namespaces = `annals namespace list` 列出命名空间的名称
common-see-entities = `annals graph entities` 列出实体的编号
common-see-triples = `annals graph triples` 列出三元组的编号
common-see-merges = `annals graph merges` 列出合并的编号
common-see-profiles = `annals profile list` 列出配置方案的名称
common-see-languages = `annals language list` 列出有哪些语言
common-see-kinds = 用 --kind 指定其中一个
common-see-jobs = `annals jobs list` 列出各配置方案及其作业
common-see-queue = `annals queue list` 列出任务的编号
common-see-reviews = `annals review list` 列出等待裁定的记忆
common-see-proposals = `annals review proposals` 列出待处理的提议
common-see-suspicions = `annals review contradictions` 列出疑似矛盾的各对记忆
common-see-decisions = `annals review decisions` 列出决定的编号
common-cannot-output = 无法写出结果：{ $error }

common-without-model = 没有使用语言模型：{ $why }；需要它的任务先等着（`annals queue list`）
common-made-private = 本机的其他用户此前可以读取 { $path }：现在只有它的用户可以（你再次授予的权限会保留）
common-close-folder = 收回其他用户的权限，对象为
common-make-database-folder = 创建数据库所在的文件夹
common-no-database = { $path } 处没有数据库
common-name-database = 用 --db 或 $ANNALS_DB 指定一个，或者用 `annals remember`、`annals import` 在这里新建
common-in-project = 存入当前项目（{ $name }）；在所有项目中都成立的内容请加 --global
common-no-home = 没有放数据库的文件夹：HOME 和 XDG_DATA_HOME 都没有给出绝对路径
common-name-a-database = 用 --db 或 $ANNALS_DB 指定数据库
common-one-namespace = 这个命令只作用于一个命名空间；--namespace 只能给一次
common-cannot-json = 无法把结果写成 JSON：{ $error }
common-takes-no-namespace = `annals { $command }` 不接受 --namespace，请去掉
common-by-words = 只按词语检索：{ $reason }
common-masked = 存入的内容里已遮盖：{ $kinds }。如果要原样保存这类内容，请在配置文件的 [profile.privacy] 下写 { $key } = "allow"
common-as-of-future = { $at } 还没有到；给出的是现在已知的内容
common-times-utc = 时间按 UTC 显示，不是 { $zone } 的时间
common-no-namespace = 没有命名空间 { $name }

common-stretch = { $first } 至 { $last }
common-what = 层/类型
common-status = 状态
common-stored = 存入
common-revision = 版本
common-happened = 发生
common-true-from = 生效自
common-true-until-label = 有效至
common-expires = 过期
common-names-time = 提到的时间
common-importance = 重要度
common-confidence = 可信度
common-verified = 确认
common-by-person = 由人确认
common-source = 来源
common-tags = 标签
common-replaces = 取代
common-replaced-by = 被取代于
common-session = 会话
common-session-turn = { $session }，第 { $position } 轮
common-speaker = 说话人
common-tool-call = 工具调用
common-attachment = 附件
common-true-until = 有效至 { $until }

common-foreign-bad = ANNALS_ALLOW_FOREIGN 的值是 { $word }
common-foreign-words = 请设为 1 或 0
common-zone-unknown = TZ 的值 { $zone } 不是时区数据库里的名称（例如 Asia/Shanghai），因此按 UTC 处理（也可以在配置文件里设置 `zone`）
common-share-bad = ANNALS_SHARE 的值是 { $word }
common-share-words = 请设为 auto、join 或 off
common-embedder-no-model = 嵌入模型 { $word } 没有写明模型名
common-embedder-words = 写成 URL#MODEL，例如 http://localhost:11434/v1#nomic-embed-text

common-config-embedder-forms = "builtin"、模型文件夹，或带有 base_url 和 model 的表 [embedder.http]
common-config-read = 读取配置文件
common-config-file = 配置文件
common-config-line = { $path } 第 { $line } 行：{ $message }：`{ $source }`
common-config-correct = 请改正或删去这一行；`annals doctor` 列出正在使用的设置
common-config-place = {" "}第 { $line } 行

common-embedder-unknown = 嵌入模型{ $word }既不是文件夹，也不是已安装的模型
common-embedder-models = 文件夹请写完整路径，或在前面加 `./`；`annals model list` 列出已有的模型；`annals model pull` 下载模型；`builtin` 和 `small` 不需要任何模型
common-key-missing = 环境变量 { $variable } 应当保存密钥，但没有设置
common-key-set = 请设置：export { $variable }=...
common-key-bad = 环境变量 { $variable } 里不是密钥：{ $error }

common-expiry-keeps = ；`--for { $id }` 可以一直保留
common-expiry = 它将于 { $at } 过期，这是配置方案 { $profile } 对 { $kind } 的规定{ $keeps }
common-expired-already = 它在 { $at } 就已过期：不会被检索到，只有 `annals list --all` 会列出

common-is-in-use = { $path } 是{ $what }
common-name-another-file = 请换一个文件
common-is-folder = { $path } 是文件夹
common-name-file = 请指定文件
common-exists = { $path } 已经存在
common-force = 加上 --force 替换它，或换一个名字
common-write-into-folder = 写入文件夹

common-the-text = 文本
common-the-file-path = 文件 { $path }
common-the-file = 文件
common-no-text = 没有文本；请作为参数给出、用 --file 指定，或从管道传入
common-standard-input = 标准输入
common-text-or-file = 文本要么作为参数给出，要么用 --file 指定，不能两者都给
common-too-long = { $what }超过 { $limit } 字节，这是一条记忆的最大长度
common-split-it = 请拆成几段，或转成 JSON 行后用 `annals import` 导入

common-receipt-none = 没有符合条件的记忆，没有改动
common-receipt-would = { $count }将被{ $done }；加上 --yes 执行
common-receipt-derived = 其中仅因来源被删除而随之删除的：{ $more }
common-receipt-link = 连接 { $from } { $relation } { $to }
common-receipt-entity = 实体 #{ $id } { $name }
common-receipt-along = 一并删除：{ $counts }
common-receipt-asleep = 转入休眠（只剩已忘掉的记忆提到）：{ $count }
common-receipt-stale = 稍后重新推导（缺了一个来源）：{ $count }
common-receipt-see-stale = （见 `annals list --stale`）
common-receipt-shortened = 不再保留早先的文本（推导它们的来源被删除）：{ $count }
common-receipt-revived = 恢复生效（取代它的记忆被删除）：{ $count }
common-receipt-twins = 相同的话仍留在与它合并的记忆里：{ $count }（见 `annals list --all`）
common-receipt-triple = 三元组 { $id } { $triple }
common-receipt-more = {"  "}还有 { $more } 项；--json 列出全部
common-receipt-done = 已{ $done } { $count }
common-derived-from = 推导自
common-interface-bad = ANNALS_LANG 的值是 { $word }
common-interface-words = 请设为 en、zh 或 auto
common-the-database = 数据库
common-file-read = 正在读取的文件

common-not-looked-through = 还有 { $count }没有处理；见 `annals queue list`
common-given-up = 有 { $count }已放弃：`annals queue list` 说明原因，`annals queue retry --all` 全部重试
common-tried-later = 稍后重试：{ $failed }；见 `annals queue list`
common-troubles = 自 { $since } 以来，{ $given_up } 项已放弃，{ $failed } 项失败后等待重试

common-sample = 示例
common-no-data-set = { $path } 不是数据集：{ $error }
common-unknown-fields = 略过这里用不到的字段：{ $names }
common-not-stored = 未存入：{ $told }

common-validation = { $file_bytes }，{ $namespaces }中的 { $memories }，已检查 { $values }
common-validation-sound = 没有发现问题
common-validation-broken = 请保留这个文件；用 `annals db restore` 恢复备份，或用 `annals db repair` 保存还能读出的内容

common-not-utf8 = { $what }{ $place }不是 UTF-8：第 { $line } 行的第 { $at } 个字节是 0x{ $bad }
common-convert = 请先转换编码，例如 `iconv -f GB18030 -t UTF-8`

common-seconds = 应当是秒数，例如 5 或 0.5

common-program-where = 无法得知本程序所在的位置：{ $error }

common-no-memory = 命名空间 { $name } 里没有记忆 { $id }
common-profile-differs = 命名空间 { $name } 的配置方案是 { $profile }，不是 { $asked }
common-profile-differs-advice = 用 -n 指定别的命名空间，或者用 `annals namespace use-profile { $name } { $asked }` 改换方案

common-or = { $before } 或 { $last }

common-validation-advice = 请保留这个文件；用 `annals db restore` 恢复备份，或用 `annals db repair` 保存还能读出的内容

common-form = 格式为 { $form }

## 进度

common-comparing = 正在比较
common-reading = 正在读取
common-asking = 正在提问
common-importing = 正在导入
common-pulling = 正在下载
common-exporting = 正在导出
common-compacting = 正在压缩
common-embedding = 正在嵌入
common-profile-idle = { $path } 里的 [profile] 对任何命名空间都不起作用：它只用于配置方案 `default` 之下的命名空间，而这里没有；用 `annals profile store` 建立自己的配置方案
common-left = 还需 { $eta }

## 库给出的英文信息作为原因，列在中文标题之下

common-failed-not-found = 没有找到所指的内容
common-failed-invalid = 给出的内容无效
common-failed-conflict = 与现有的内容冲突
common-failed-locked = 数据库正被另一个进程使用
common-failed-corrupt = 数据库已损坏
common-failed-no-database = 这个文件不是 annals 的数据库
common-failed-too-new = 这个数据库由更新版本的 annals 写成
common-failed-too-old = 这个数据库的格式太旧
common-failed-read-only = 数据库不能写入
common-failed-full = 磁盘已满
common-failed-embedder = 嵌入模型或语言模型出错
common-failed-poisoned = 先前的故障使数据库停止使用
common-failed = 操作没有完成
common-repair = 请保留这个文件；用 `annals db restore` 恢复备份，或用 `annals db repair` 保存还能读出的内容
common-poisoned = 请再运行一次：每次运行都重新打开数据库；如果仍然失败，用 `annals db verify` 核对文件
common-not-whole = 读取 { $path } 时缺少一处损坏的内容，结果可能不完整：{ $damage }

common-llm-config = 配置文件的 llm
common-llm-extract-config = 配置文件的 llm_extract
common-llm-no-model = 语言模型 { $word } 没有写明模型名
common-write-transcript = 写入记录文件
common-llm-unusable = 无法使用语言模型：{ $reason }
common-llm-unusable-advice = `annals doctor` 说明所指的是哪一个，以及它的密钥从哪里读取

common-llm-model-missing = 缺失：请写明服务器提供的模型名称
common-llm-url-missing = 缺失：写成 http://localhost:11434/v1 这样
common-llm-two-keys = 与 key_env 并存：只能写其中一个
common-llm-timeout = 必须在 0.001 到 86400 之间
common-llm-at-least-1 = 必须至少为 1
common-llm-at-least-0 = 必须至少为 0
common-llm-forms = URL#MODEL、anthropic#MODEL、replay:FILE，或带有 base_url 和 model 的表

common-llm-words = 写成 URL#MODEL，例如 http://localhost:11434/v1#qwen2.5；或 anthropic#MODEL、anthropic:URL#MODEL；或 replay:FILE

common-io-not-found = 没有这个文件或文件夹
common-io-denied = 没有权限
common-io-exists = 已经存在
common-io-folder = 这是文件夹
common-io-no-folder = 路径中有一段不是文件夹
common-io-read-only = 文件系统是只读的
common-io-full = 磁盘空间已用完
common-io-refused = 那里没有程序应答
common-io-timed-out = 用时太久
common-of = { $what }：{ $said }
