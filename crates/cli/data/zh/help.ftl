# 命令行的帮助：每个命令一条，参数是它的部分。英文的帮助写在源代码里参数的旁边。

help-shared =
    .db = 数据库文件 [默认：平台数据文件夹中的 agent.annals]
    .namespace = 命名空间；`recall` 可以给出多个 [默认：在仓库中是项目的命名空间，`recall` 还包括用户的；否则是用户的]
    .global = 只用在所有项目中都成立的用户记忆，在仓库中也一样
    .embedder = `builtin`、`small`、模型文件夹、已下载模型的名称，或 URL#MODEL [默认：builtin]
    .config = 配置文件 [默认：平台配置文件夹中的 annals/config.toml]
    .wait = 数据库被另一个进程打开时，最多等待多少秒
    .json = 用 JSON 回答和报错
    .no_color = 不使用颜色（也可设 NO_COLOR=1）
    .quiet = 不显示进度条和附注
    .help = 显示帮助
    .all = 对话文件中的每个对话，各自导入以其编号命名的命名空间
    .file = 文件；省略或写 `-` 表示标准输出
    .layer = 属于这个层：turn、working、episodic、semantic、core 或 system
    .kind = 属于这个类型，例如 fact
    .tag = 带有这个标签；给出两次则须两者都有
    .importance = 重要度，0 到 1000
    .confidence = 可信度，0 到 1
    .verified = 已由人确认
    .source = 由谁（人或程序）存入
    .at = 发生的时间，例如 2026-01-03 或 2026-01-03T18:00:00+01:00
    .valid_from = 从何时起为真
    .valid_until = 到何时为止为真，不含该时刻
    .expires_at = 从何时起不再显示
    .meta = 自由字段；VALUE 若是 JSON 则按 JSON 读取
    .derived_from = 它所依据的一条记忆
    .session = 在这个会话里说的
    .speaker = 由这个人说的
    .as_of = 按这个时间当时已知的内容
    .relation = 关系，取自配置方案所列的关系
    .status = 处于这个状态：staged、active、archived 或 forgotten [默认：staged 和 active；忘掉或删除时不限]
    .group = 属于这个组，例如 work
    .since = 发生在这个时间或之后
    .until = 发生在这个时间之前
    .valid_at = 在这个时间为真
    .limit = 最多列出多少条
    .after = 从上一页指出的这一页继续
    .id = 记忆的编号
    .unset_meta = 去掉这个自由字段
    .yes = 真正删除，而不是只显示将删除什么
    .profile = 配置方案
    .format = 文件的格式 [默认：自动识别]
    .resume = 从上次导入这个文件中断的地方继续
    .from_line = 从这一行开始
    .skip_bad = 略过无法存入的内容，并把它们写入这个文件
    .force = --skip-bad 的文件已存在时替换它
    .conversation = 只取对话文件中这个编号的对话
    .bring_back = 把导入后已删除的内容重新存入
    .zone = 没有写明时区的时间所用的时区，例如 Europe/Berlin 或 +02:00 [默认：本系统的时区]
    .date_order = 数字日期的顺序 [默认：根据整个文件判断]
    .column = 对于表格和 JSON 对象：哪一列是 text、time、speaker、role、session、tags 或 id；可以多次给出
    .folder = 其中的一个文件夹 [默认：工作目录]
    .project = 只用于这个项目：它的仓库所在的文件夹，或 DIR
    .clients = 客户端
    .dry_run = 显示将有哪些改动，不写入任何内容
    .name = 命名空间
    .from = 连接起点的记忆
    .to = 连接终点的记忆
    .predicate = 只沿着用这些词说的关系走；可以给出多次
    .alias = 另一个名称；可以给出多次
    .entity = 实体：名称或 #NUMBER
    .direction = 沿三元组的哪个方向走
    .nodes = 最多到达多少个实体
    .edges = 最多查看多少个三元组
    .time = 最多用时多少毫秒
    .newer = 较晚为真的那条记忆，即一对中上面的一条
    .older = 另一条
    .number = 它的编号
    .job = 作业
    .event = 事件的名称，按宿主的叫法

help-headings =
    .which_memories = 筛选记忆：
    .everywhere = 通用选项：
    .a_turn_of_a_conversation = 对话中的一轮：

help-values =
    .compat_mem0 = mem0 的服务器：`/memories`、`/search`，以及其 Python 客户端调用的路由
    .format_export = `annals export` 写出的 JSON 行
    .format_turns = 每行一轮发言的 JSON 行：session、text，以及已知的 speaker、role、time、reply、tool_calls、attachments、tags、metadata
    .format_conversation = 带有各轮发言的对话，一个 JSON 文档
    .format_messages = 聊天服务及其程序库（OpenAI、Anthropic、LangChain、LlamaIndex、ShareGPT）交换的消息：一个列表、{"{"}"messages": [...]{"}"}，或每行一个；每个列表成为一个会话
    .format_last-chat = `last_chat.json` 中对上次谈话的一段摘要：成为以文件时间为准的一个情景
    .format_claude-code = Claude Code 的对话记录：~/.claude/projects/*/*.jsonl
    .format_codex = Codex 的对话记录：~/.codex/sessions/**/rollout-*.jsonl
    .format_gemini-cli = Gemini CLI 的对话记录：~/.gemini/tmp/*/chats/session-*
    .format_cursor = Cursor 的对话记录：~/.cursor/projects/*/agent-transcripts/**/*.jsonl
    .format_copilot-cli = Copilot CLI 的对话记录：~/.copilot/session-state/*/events.jsonl
    .format_chatgpt = ChatGPT 导出的对话
    .format_claude = Claude 导出的对话
    .format_claude-projects = Claude 导出的项目
    .format_gemini-takeout = Google Takeout 里 Gemini 的活动，JSON 或网页
    .format_mem0 = mem0 的记忆：答复、分页、导出
    .format_hindsight = Hindsight 的记忆：列表、答复、文档存档
    .format_knowledge-graph = MCP 参考记忆服务器的文件：实体和关系
    .format_letta = Letta 的智能体文件，带有记忆块
    .format_zep = Zep 或 Graphiti 的图：节点、边、片段
    .format_claude-mem = claude-mem 的导出或数据库
    .format_cursor-chats = Cursor 的对话数据库：state.vscdb
    .format_open-webui = Open WebUI 导出的对话
    .format_telegram = Telegram Desktop 以 JSON 导出的内容
    .format_slack = Slack 导出的消息
    .format_discord = DiscordChatExporter 的导出，或 Discord 的数据包
    .format_whatsapp = WhatsApp 的聊天记录，文本
    .format_mbox = 一个邮箱
    .format_fields = 带有 `text` 的 JSON 对象；--column 指明其他字段
    .format_strings = 一个由文本组成的 JSON 列表
    .format_table = 带表头的表格：CSV 或 TSV；--column 指明各列
    .format_notes = 笔记：带有文首字段、观察和链接的 Markdown，或纯文本
    .date_order_dmy = 日、月、年
    .date_order_mdy = 月、日、年
    .date_order_ymd = 年、月、日
    .form_lines = JSON 行：带文本的记忆，然后是带会话的发言
    .form_csv = 带表头的表格
    .form_mem0 = mem0 的 get_all 的答复，不含发言
    .form_messages = 每行一个会话，OpenAI 的形式 {"{"}"id", "messages"{"}"}，不含其他记忆
    .form_knowledge-graph = MCP 参考记忆服务器的文件，不含发言
    .form_notes = 一个 Markdown 笔记文件夹：每条记忆一个文件，每个会话一个文件
    .profile_graph = 工具：create_memory、link_memories、search_memories、update_memory_importance
    .profile_agent = 工具：search_memory、search_conversation_traces
    .profile_markdown = 工具：recall_memory

help = 智能体的长期记忆，存在一个文件里
    .page =
        智能体的长期记忆，存在一个文件里

        用法：annals [OPTIONS] <COMMAND>

        日常使用：
          demo              用一段示例对话演示 annals 能做什么
          remember (add)    存入一条记忆
          recall (search)   用相符的记忆回答一个问题
          context           打印记忆中应当放进提示词的内容
          list (ls), show   列出记忆；显示一条记忆的全部信息
          edit, undo        修改一条记忆；撤回最近一次改动
          forget, restore   隐藏记忆；恢复它们
          archive, used     归档记忆；报告它们派上了用场
          delete (rm)       彻底删除记忆，先显示将删除什么
          chat, ingest      对话，或读取一段对话，并记住所说的内容
          import, export    以 JSON 行读取和写出记忆
          sync              使 MEMORY.md 等文件与记忆同步
          mcp, serve        以 MCP 为智能体提供服务；以 HTTP 提供记忆
          doctor            检查数据库、嵌入模型和设置
          install           把 annals 加入编程智能体；`uninstall` 移除

        命令组：
          namespace         创建、列出、统计、改名和删除命名空间
          profile, language 记忆如何淡化；提示词的语言
          session           列出和结束会话；显示和设定正在做的事
          graph             三元组、实体和记忆之间的连接
          review            等待裁定的记忆，以及作出的决定
          queue, jobs       等待的后台任务；到期的作业
          model, db         嵌入模型和工具；统计、费用和核对
          hook, token       编程智能体的钩子；HTTP 服务器的令牌
          eval, completions 用标注数据测量；shell 的补全脚本

        通用选项：--db FILE、-n/--namespace NAME、--global、--embedder WHICH、--json、
        --config FILE、--wait SECONDS、--no-color、-q/--quiet、-h/--help；-V 显示版本。
        `annals COMMAND --help` 逐一说明；各项设置见 `annals doctor --help`。
    .version = 显示版本

help-demo = 用一段历时两个月的双语对话演示 annals 能做什么
    .top_k = 每个问题显示多少条结果
    .all = 提出示例中的全部问题，而不只是最有看头的八个
    .after_help =
        示例：
          annals demo
          annals demo --all -k 1
          annals --db demo.annals demo

        什么都不会保留：对话只导入到内存里，除非用 --db 指定保存它的文件。

help-remember = 存入一条记忆
    .text = 文本；`-` 读取标准输入
    .file = 从这个文件读取文本
    .keep = 保存多久：小时、天或周，例如 36h、7d 或 2w；也可以用配置方案的词，例如 `agent` 的 permanent
    .layer = turn、working、episodic、semantic、core 或 system
    .kind = 类型，例如 fact、rule 或 preference
    .tag = 标签；可以给出多次
    .session = 作为这个会话的一轮发言存入
    .speaker = 说话人
    .role = 角色：user、assistant、system 或 tool
    .reply = 对它的回复
    .after_help =
        示例：
          annals remember "我在 2023 年 3 月搬到了柏林。"
          annals remember --kind rule --tag work --importance 0.9 "周五不要部署。"
          annals remember --for 2w "我在里昂。"
          annals remember --session monday --speaker 小明 --reply "记下了。" "演示十点开始。"
          pbpaste | annals remember -

        没有另外指明时，层是 semantic，类型是 fact 或配置方案所定的类型，重要度 0.5，可信度 1。

        `annals add` 是同一个命令。

help-recall = 用相符的记忆回答一个问题
    .question = 问题，或要回答的消息
    .top_k = 最多多少条结果 [默认：10]
    .min_score = 结果的最低分数，0 到 1 [默认：0]
    .diversity = 与更好的结果相似要扣多少分，0 到 1 [默认：0]
    .context = 问题之前的一条消息，按从旧到新；可以给出多次
    .as_of = 按这个时间当时存有的内容回答
    .asked_at = 提问的时刻，“昨天”等从它算起 [默认：现在]
    .mode = 是否沿三元组和连接展开：fast、deep 或 auto [默认：配置方案所定]
    .expand_depth = 沿三元组和连接走几步；0 表示不走
    .relation = 只沿这种关系的连接走；可以给出多次
    .explain = 说明每个分数的由来
    .why_not = 说明这条记忆为什么不在结果里
    .after_help =
        示例：
          annals recall "我现在住在哪里？"
          annals recall "我们决定了什么？" --context "关于数据库。" --since 2026-01-01
          annals recall "我为什么搬家？" --mode deep --explain
          annals recall "哪个编辑器？" --explain --why-not 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals recall "生日" -n user:42 -n team --top-k 3 --json

        `annals search` 是同一个命令。

help-context = 打印记忆中应当放进提示词的内容
    .message = 要回答的消息；不给时只显示与消息无关的内容
    .earlier = 它之前的一条消息，按从旧到新；可以给出多次
    .session = 对话所在的会话：其中与这些消息内容相同的发言不再重复检索
    .prepared = 为这一轮准备好的文本，例如上一轮工具的结果
    .at = 按哪个时刻生成 [默认：现在]
    .count = 记下给出的内容，供网页查看；配置方案统计这一项时，还把检索到的记忆计为已注入
    .after_help =
        示例：
          annals context "我喜欢哪个编辑器？" -n user:42
          annals context -n agent:dev > prompt.txt
          annals context "那测试呢？" --earlier "我重构了解析器。" --count --json

help-list = 列出记忆，最近存入的在前
    .limit = 每页最多多少条记忆
    .oldest_first = 从最早存入的开始
    .all = 不限状态，连同已过期和已被取代的：所有没有删除的记忆
    .class = 属于配置方案的这个类别，例如 core；给出两次则任一即可
    .stale = 只列出失去了一个来源、尚未重新推导的记忆
    .after_help =
        示例：
          annals list
          annals list --layer semantic --tag work --since 2026-01-01
          annals list --limit 100 --oldest-first --json

        `annals ls` 是同一个命令。

help-show = 显示一条记忆和关于它的全部信息
    .history = 同时显示它从前的文本
    .explain = 同时显示它是怎样形成的；与 --json 同用时还给出节点和边的记录
    .after_help =
        示例：
          annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --history --json
          annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --explain

help-edit = 修改一条记忆；原来的内容留在历史里
    .text = 新的文本；`-` 读取标准输入
    .file = 从这个文件读取新的文本
    .layer = turn、working、episodic、semantic、core 或 system
    .kind = 类型，例如 fact、rule 或 preference
    .tag = 标签；可以给出多次
    .untag = 去掉这个标签
    .clear = 清空这个字段；可以给出多次
    .supersede = 以新的编号存入，取代这一条
    .after_help =
        示例：
          annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e \
            --text "我搬到了汉堡。" --valid-from 2026-03-01
          annals edit 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --untag draft --clear valid-until

        在终端里不带任何选项时，会用 $VISUAL 或 $EDITOR 打开文本。

help-forget = 隐藏记忆；`restore` 可以恢复
    .id = 各条记忆的编号
    .yes = 按条件筛选时：真正执行，而不是只显示将忘掉什么
    .after_help =
        示例：
          annals forget 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals forget --tag draft --until 2026-01-01
          annals forget --tag draft --until 2026-01-01 --yes

        不带 --status 的筛选包括所有状态的记忆。

help-restore = 恢复已忘掉或已归档的记忆
    .id = 各条记忆的编号
    .after_help =
        示例：
          annals restore 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals restore 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01

help-archive = 保留记忆，但不再主动提起
    .id = 各条记忆的编号
    .after_help =
        示例：
          annals archive 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals list --status archived

help-delete = 彻底删除记忆；在给出 --yes 之前只显示将删除什么
    .id = 各条记忆的编号
    .list = 从这个文件读取编号，以逗号、空格或换行分隔；`-` 读取标准输入。配置方案不许批量删除的记忆会略过
    .all = 命名空间里的全部记忆
    .background = 不等待：有程序打开这个文件时分批删除，`annals jobs run` 也会删除；`annals queue list` 显示进度
    .after_help =
        示例：
          annals delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --yes
          annals delete --session monday --status forgotten --yes
          annals delete --list ids.txt
          annals delete --all --background --yes

        不带 --status 的筛选包括所有状态的记忆。`annals rm` 是同一个命令。

help-undo = 撤回最近一次改动，针对一条记忆或全部记忆
    .id = 记忆的编号 [默认：最近改动过的那条]
    .after_help =
        示例：
          annals undo
          annals undo 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

        不给记忆时撤回命名空间的最近一次改动，在仓库里是项目和用户两者中较晚的那一次；给出记忆时撤回它的最近一次改动：修改、忘掉、归档、恢复、权重调整、连接、同步、对已知内容的再次述说，或人的裁定。再次运行则接着撤回更早的改动。存入可以在十分钟内撤回，或在配置方案规定的时间内（surface.undo_minutes）：该记忆被彻底删除，因它而失效的内容重新有效。删除不能撤回。

help-used = 报告记忆派上了用场，记忆由此得以保持
    .id = 各条记忆的编号
    .after_help =
        示例：
          annals used 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

help-chat = 对话：一个有记忆的小助手，由语言模型驱动
    .llm = URL#MODEL、anthropic#MODEL 或 replay:FILE [默认：$ANNALS_LLM，或配置文件的 llm]
    .profile = 命名空间尚不存在时所用的配置方案 [默认：companion]
    .session = 对话的名称 [默认：chat 加时间]
    .incognito = 完全不用记忆：不保留对话的任何内容，也不检索
    .after_help =
        示例：
          annals chat --llm http://localhost:11434/v1#qwen2.5
          ANNALS_LLM=anthropic#claude-haiku-4-5 ANNALS_LLM_KEY=... annals chat -n user:42
          annals chat --llm replay:answers.ndjson < questions.txt

        一个小助手：每行是一条消息；空行、/quit 或输入结束即结束对话。它的记忆保存在数据库里。模型没有回答的消息不会保留：请再说一遍。

        “记住…”“记住这个”（remember that ...）立即执行，不经过模型；“忘掉…”“忘掉那个”（forget that ...）在你同意之后也是如此。问号之前的话都会记住；如果不止一个短句，模型也会作答。

        使用 --incognito 时什么都不记、不查、不计、不写：连数据库都不打开。你说的话会原样发给模型，因为没有配置方案规定要遮盖什么。

        对话结束时，会话按 `annals session end` 的方式结束。在带草稿板的配置方案（例如 agent）下，每条消息就是正在做的任务；`annals session scratchpad` 可以查看。

        $ANNALS_LLM_EXTRACT 或配置文件的 llm_extract 可以指定另一个模型来处理对话；`annals db usage` 显示调用情况和费用。

help-ingest = 从文件读取对话，记住语言模型从中找到的内容
    .files = 文件、文件夹和压缩包（zip、gzip、zstd）；`-` 读取标准输入
    .session = 文件本身没有写明时，对话的名称 [默认：文件名]
    .llm = URL#MODEL、anthropic#MODEL 或 replay:FILE [默认：$ANNALS_LLM_EXTRACT 或 $ANNALS_LLM]
    .profile = 命名空间尚不存在时所用的配置方案 [默认：studio]
    .after_help =
        示例：
          annals ingest chat.ndjson --llm http://localhost:11434/v1#qwen2.5
          annals ingest chat.json --conversation monday --profile agent -n user:42
          ANNALS_LLM=replay:answers.ndjson annals ingest chat.ndjson

        各轮发言立即存入；然后语言模型按配置方案的设置，从中以及从先前等待的内容中找出值得保留的。现在无法向模型询问的内容会等待：`annals queue list` 列出它们，`annals jobs run` 和下一次 `annals ingest` 会重试。有内容没能处理时退出码为 1。

        不给 --llm 时依次使用 $ANNALS_LLM_EXTRACT、配置文件的 llm_extract、$ANNALS_LLM、配置文件的 [llm]。没有模型就什么都不提取：`annals import` 原样保存对话，供检索和引用。`annals db usage` 显示调用情况和费用。

help-import = 从文件读取记忆或对话
    .files = 文件、文件夹和压缩包（zip、gzip、zstd）；`-` 读取标准输入
    .session = 文件本身没有写明时，对话的名称 [默认：文件名]
    .dry_run = 说明文件是什么、会带来什么，不存入任何内容
    .agents = 这台机器上所有编程智能体的对话记录，各自导入其项目的命名空间
    .watch = 持续运行，导入文件夹中新来的和变长的文件
    .undo = 撤回最近一次导入该命名空间的内容：删除它带来的一切
    .after_help =
        示例：
          annals import backup.ndjson
          annals import backup.ndjson --skip-bad refused.ndjson
          annals import chat.json --conversation monday -n user:42
          annals import messages.json --session monday
          annals import ~/.claude/projects/-home-me-relay/0197f5c2-7a10.jsonl -n project:relay
          annals import backup.ndjson.gz
          annals import chatgpt-export.zip --dry-run
          annals import ~/notes chat.txt --zone Europe/Berlin
          annals import people.csv --column text=remark --column time=day
          annals import --agents
          annals import --undo
          annals import --watch ~/exports

        格式按内容识别，从不凭文件名；docs/import.md 说明每种格式保留什么、不保留什么。已有的内容会被认出，因此变长了的文件可以再次导入。

        各行分批存入，每批要么全部存入，要么全不存入。中断的导入会指出停在哪一行，--resume 从那里继续。已经存有的记忆保持不变。

        一轮发言凭编号识别；没有编号时凭会话、时间、角色和文本识别。两者都没有时，凭它前后说过的话识别：文件与其会话或会话的一部分相吻合之处；单独的一条消息每次都算新的，因此最好带上编号或时间。编号相同但内容不同的，以及后来改动过的，存在其他发言之后，并会指出有所不同。已删除的发言不再恢复，除非给出 --bring-back。

        Claude Code、Codex、Gemini CLI、Cursor 和 Copilot CLI 的对话记录按内容识别。用户和助手的话成为发言；工具调用及其结果、思考过程、摘要和子智能体的谈话不会导入。

        对于消息，会话的名称取自消息本身（session、conversation_id 或 id），否则取文件名：多行时第一个列表也是如此。其余的列表用“文件名+首条消息的编号”命名，有标题的也是如此。

help-export = 把命名空间写成 JSON 行：记忆及其历史，以及图
    .form = 以其他程序的形式
    .text = 供人阅读，每行一条记忆：编号、类型、分数、文本（ESC 写作 `\u{"{"}1b{"}"}`）。不能重新导入
    .force = 替换已存在的文件
    .after_help =
        示例：
          annals export backup.ndjson
          annals export -n user:42 | gzip > user.ndjson.gz
          annals export --text memories.txt
          annals export notes --form notes
          annals export - --form messages

        其他形式包含在用的内容，不含历史和三元组；都能重新导入。docs/import.md 说明每种形式保留什么。

help-sync = 使 MEMORY.md 等文件与记忆双向同步
    .folder = 存放文件的文件夹 [默认：$ANNALS_MIRRORS，或配置方案指定的文件夹]
    .create = 文件夹不存在时创建它
    .follow = 跟随指向文件夹之外的链接
    .watch = 持续运行，任何一边有改动就同步
    .every = 每隔多少秒检查一次
    .after_help =
        示例：
          annals sync notes -n user:42
          annals sync notes -n user:42 --watch

        不存在的文件会新建，归 annals 所有：每次运行都整个重写。对于由人创建的文件，annals 只维护两个标记之间的一段，其余内容不动。只读取普通文件。指向文件夹之外的链接不会被跟随，除非用过一次 --follow：这个文件夹可能是别人仓库的克隆。如果文件夹本身是一个链接，不带 --follow 就会被拒绝。

        使用 --watch 时持续运行，直到被停止；每秒检查一次文件是否有修改、数据库是否有写入。其间它不占用数据库，别的程序可以使用；别的程序正在使用时它就等待。可以随时停止或终止它。

help-mcp = 为智能体提供服务：通过标准输入输出或 HTTP 使用模型上下文协议（MCP）
    .http = 改用 HTTP 提供服务：PORT 或 ADDRESS:PORT [默认：127.0.0.1:19876]
    .allow_host = 也应答这个主机名；可以给出多次
    .no_token = 不要求本机的客户端带令牌：本机的每个用户都能读写这些记忆
    .project = 项目的文件夹，代替工作目录
    .session = 客户端的会话：它是临时会话时，不检索也不保存任何内容 [默认：最近一次钩子所在的会话]
    .after_help =
        示例：
          annals mcp
          annals mcp --namespace user:42
          annals mcp --http
          annals mcp token
          ANNALS_MCP_TOKEN=... annals mcp --http 0.0.0.0:19876 --allow-host memory.example.org

        客户端启动 `annals mcp`，通过标准输入输出与它通信。没有 --namespace、$ANNALS_NAMESPACE 或配置文件的 `namespace` 时，所用的是项目的记忆（从工作目录向上查找 git 根目录）和命名空间 `user` 的记忆，两者一起检索。在仓库之外则只有 `user`。如果命名空间的配置方案有自己的工具，就提供那些工具。

        使用 HTTP 时客户端须带令牌：Authorization: Bearer TOKEN。令牌取自 $ANNALS_MCP_TOKEN，否则取自数据库旁的文件（agent.annals.token，只有它的用户能读），`annals mcp token` 会打印它。

help-mcp-token = 打印客户端使用 HTTP 时须带的令牌；没有时生成一个

help-doctor = 检查数据库、嵌入模型和设置，并说明该怎么做
    .after_help =
        示例：
          annals doctor
          annals --db old.annals doctor --json

        读取数据库的每个值，并把每个索引与其他索引核对，数据库大时需要一些时间。一切正常时退出码为 0；数据库或它旁边的项目列表损坏为 6；所选的嵌入模型或所设的语言模型无法使用为 9；分词器无法使用为 4。会询问语言模型的服务器提供哪些模型，但不向任何模型提问。`annals db verify` 只检查数据库。

        设置依次取自命令行选项、环境变量 ANNALS_DB、ANNALS_NAMESPACE、ANNALS_EMBEDDER、ANNALS_EMBEDDER_KEY、ANNALS_ONNXRUNTIME、ANNALS_MODELS、ANNALS_MIRRORS、ANNALS_SHARE 和 ANNALS_CONFIG，最后是配置文件。ANNALS_LANG（或配置文件的 interface_language）是本程序界面的语言：en、zh 或 auto。ANNALS_LLM 以 URL#MODEL、anthropic#MODEL、anthropic:URL#MODEL 或 replay:FILE 指定语言模型；ANNALS_LLM_EXTRACT 指定另一个用来处理对话的模型，例如较小的模型；ANNALS_LLM_KEY 保存密钥。配置文件的 [llm] 和 [llm_extract] 可以长期指定它们，连同密钥文件、超时、速率和价格。ANNALS_LLM_RECORD 指定记录问答的文件，ANNALS_TOKENIZER 指定模型的 tokenizer.json，用来准确计数 token 而不是估算。TZ 是时区，一天的起点和钟点都以它为准。

        所有命令的退出码：
          0 完成       3 没有找到           6 已损坏，或不是数据库
          1 失败       4 输入无效           7 由另一个版本写成
          2 用法错误   5 数据库正被使用     8 无法写入（权限、磁盘已满）
                                            9 嵌入模型或语言模型不可用

help-install = 把 annals 加入编程智能体：服务器条目和钩子
    .all = 本机上的所有客户端
    .hooks = 同时加入钩子
    .after_help =
        示例：
          annals install                                  # 本机有哪些客户端，哪些已有 annals
          annals install claude-code --hooks
          annals install --all --dry-run                  # 以 diff 形式显示改动
          annals install cursor --project                 # 只在这个仓库里加入服务器和钩子
          annals install codex --db ~/work.annals

        把服务器 `annals mcp` 加入客户端的配置；其中的其他内容原样不动，并先复制到 NAME.annals-backup。钩子为会话带来已记住的内容，并保留说过的话：--hooks 为用户加入钩子，--project 只为一个项目加入；它们在运行过 `annals hook enable` 的地方生效。不给 --db 时，客户端按本程序的方式找到数据库。

help-uninstall = 把 annals 从编程智能体中移除
    .all = 本机上的所有客户端
    .hooks = 只移除钩子
    .after_help =
        示例：
          annals uninstall claude-code
          annals uninstall claude-code --hooks            # 服务器保留
          annals uninstall --all --dry-run
          annals uninstall cursor --project

        移除 `annals install` 加入的内容，不论它写的是哪个程序和数据库。此后没有别的改动的文件会恢复原样。记忆不受影响。

help-namespace = 创建、列出、统计、改名和删除命名空间
    .after_help =
        示例：
          annals namespace list
          annals namespace create user:42 --profile companion
          annals namespace rename user:42 user:43
          annals namespace delete user:43 --yes

        命名空间随第一条记忆产生，使用默认的配置方案。

help-namespace-list = 列出文件中的命名空间

help-namespace-create = 创建一个命名空间
    .name = 名称
    .profile = 它的配置方案；`annals profile list` 列出有哪些

help-namespace-use-profile = 为命名空间改换配置方案；记忆保留现有的分数，新方案不用的镜像文件会移除
    .profile = 配置方案；`annals profile list` 列出有哪些

help-namespace-stats = 统计一个命名空间的内容

help-namespace-rename = 为命名空间改名；旧名称下的镜像文件会移除
    .from = 现在的名称
    .to = 新的名称

help-namespace-adopt = 让工作目录所在的仓库使用其 `.git/config` 所指项目的记忆：在此之前，新位置上的克隆使用自己单独的记忆

help-namespace-delete = 删除命名空间的全部内容及其镜像文件；在给出 --yes 之前只显示将删除什么
    .yes = 真正删除，而不是只显示将删除什么

help-profile = 列出、查看和存入配置方案：记忆如何淡化，以及此后如何处理
    .after_help =
        示例：
          annals profile list
          annals profile show companion > mine.toml
          annals profile store mine mine.toml
          annals namespace create user:42 --profile mine

        配置方案规定有哪些类型的记忆、它们如何淡化、什么会强化它们，以及 `annals jobs run` 运行时对它们做什么。

help-profile-list = 列出这个文件的命名空间可用的配置方案

help-profile-show = 打印配置方案的全文，供复制和修改
    .name = 配置方案的名称

help-profile-store = 把自己的配置方案存入文件；使用它的命名空间从此按新内容运行
    .name = 取的名称
    .file = TOML 文件；`-` 表示标准输入

help-language = 提示词和标题的语言：命名空间的语言，以及消息文件
    .after_help =
        示例：
          annals language use user:42 zh
          annals language show en > de.ftl
          annals language store de de.ftl
          annals language use user:42 de

        语言涉及给模型的提示词、上下文和文件的标题，以及工具的说明。命名空间起初为 `auto`，跟随所说的语言。记忆保持原来所说的语言。消息文件采用 Fluent 格式；其中没有的消息使用英文。命令行界面的语言与此无关，由 ANNALS_LANG 或配置文件的 interface_language 设定。

help-language-list = 列出消息文件

help-language-show = 打印消息文件，供复制和翻译
    .name = 语言，或语言加配置方案：en、zh/companion

help-language-store = 把消息文件加入数据库，或替换已有的
    .name = 语言，或语言加配置方案：de、de/companion
    .file = Fluent 格式的文件；`-` 表示标准输入

help-language-delete = 移除加入的消息文件
    .name = 它的名称

help-language-use = 为命名空间设定语言，或显示它的语言
    .namespace = 命名空间
    .language = auto、en、zh，或加入的语言

help-session = 列出和结束会话；显示和设定正在做的事
    .after_help =
        示例：
          annals session list
          annals session end 2026-03-07-morning
          annals session temporary 2026-03-07-evening on
          annals session scratchpad
          annals session focus "写五月的报告"
          annals session projects website annals

        草稿板上有当前任务、同时进行的项目，以及先前的任务；带草稿板的配置方案会在提示词里显示它们。

help-session-list = 列出会话，最近的在前：各有多少轮发言，何时说的

help-session-end = 结束会话，以及只在会话期间有效的内容
    .session = 会话
    .after_help =
        示例：
          annals session end 2026-03-07-morning

        只在会话期间有效的记忆会删除，配置方案规定在会话结束时运行的作业会运行。尚未处理的发言会按配置方案排入队列，由 `annals jobs run` 处理。

help-session-temporary = 把会话设为临时或取消：临时会话不保留任何内容，也不使用记忆
    .session = 会话
    .state = 从现在起是否为临时会话；省略则显示当前状态
    .after_help =
        示例：
          annals session temporary 2026-03-07-morning on
          annals session temporary 2026-03-07-morning off
          annals session temporary 2026-03-07-morning

        会话处于临时状态时，发言不会存入，不向模型提供记忆，也不计使用次数。其间说过的内容以后也不会补存。

help-session-scratchpad = 显示正在做的事

help-session-focus = 设定当前任务；原来的任务成为最近完成的任务
    .task = 任务

help-session-projects = 设定同时进行的项目；不给名称则清空
    .names = 项目的名称

help-graph = 记忆所说的三元组、其中的实体，以及记忆之间的连接
    .after_help =
        示例：
          annals graph triples --subject 小明
          annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 小明 "住在" 柏林
          annals graph neighbours 小明 --depth 2
          annals graph duplicates
          annals graph export --format dot graph.dot && dot -Tsvg graph.dot > graph.svg

        实体用名称指明，或用 `annals graph entities` 显示的 #NUMBER。

help-graph-triples = 以三元组列出记忆所说的内容
    .subject = 只列出说到这个实体的
    .predicate = 只列出用这些词说的
    .object = 只列出指向这个实体的
    .all = 也列出只有已忘掉的记忆说到的
    .limit = 每页最多多少个三元组
    .after_help =
        示例：
          annals graph triples --subject 小明
          annals graph triples --predicate 喜欢 --all
          annals graph triples --object Berlin --as-of 2026-01-01

        实体用名称指明，或用 `annals graph entities` 显示的 #NUMBER。

help-graph-explain = 显示一个三元组和说到它的记忆
    .id = 三元组的编号
    .after_help =
        示例：
          annals graph triples --subject 小明
          annals graph explain 3

help-graph-add = 把一条记忆所说的存为三元组
    .memory = 说到它的记忆
    .subject = 所说的实体：名称或 #NUMBER
    .predicate = 谓语
    .object = 指向的实体：名称或 #NUMBER
    .not = 并非如此
    .when = 在什么条件下如此
    .degree = 程度或频率
    .importance = 重要度，0 到 1000；新的为 0.5
    .confidence = 可信度，0 到 1；新的为 1
    .after_help =
        示例：
          annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 小明 "住在" 柏林
          annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 小明 喜欢 咖啡 \
            --when "下雨"
          annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 小明 "任职于" Acme \
            --valid-until 2026-03-01

        对同一条记忆再次给出时，只改变给出的部分，其余不变。

help-graph-delete = 删除三元组；在给出 --yes 之前只显示将删除什么
    .ids = 三元组的编号，由 `annals graph triples` 显示
    .after_help =
        示例：
          annals graph delete 7
          annals graph delete 7 9 --yes

        说到它的记忆保持不变。以后文本有改动的记忆可能再次说到它。

help-graph-entities = 列出三元组所说的实体
    .name = 只列出叫这个名称或别名的
    .limit = 每页最多多少个实体
    .after = 从这个编号的实体之后继续
    .after_help =
        示例：
          annals graph entities
          annals graph entities Ada
          annals graph entities --after 49

        实体用名称或 #NUMBER 指明。

help-graph-add-entity = 创建一个没有三元组也会保留的实体
    .name = 它的名称
    .kind = 类型，例如 person
    .after_help =
        示例：
          annals graph add-entity "王小明" --kind person --alias 小明

help-graph-edit-entity = 修改实体的名称和类型；关于它的内容保持不变
    .name = 今后的名称
    .kind = 类型，例如 person
    .no_kind = 不属于任何类型
    .unalias = 去掉这个别名
    .after_help =
        示例：
          annals graph edit-entity "#7" --kind person --alias Ada --unalias Adda

help-graph-delete-entity = 删除没有三元组提到的实体；在给出 --yes 之前只显示它
    .yes = 真正删除，而不是只显示将删除什么
    .after_help =
        示例：
          annals graph delete-entity "#7" --yes

help-graph-neighbours = 列出一个实体周围的内容
    .depth = 走多少步
    .after_help =
        示例：
          annals graph neighbours 小明
          annals graph neighbours 小明 --depth 2 --predicate knows

        实体用名称指明，或用 `annals graph entities` 显示的 #NUMBER。

help-graph-paths = 显示两个实体之间的最短路径
    .from = 路径的起点：名称或 #NUMBER
    .to = 路径的终点
    .depth = 最多多少步
    .limit = 最多显示多少条路径
    .after_help =
        示例：
          annals graph paths Ada Berlin
          annals graph paths Ada "#7" --depth 6 --direction out

help-graph-duplicates = 按名称、相似度和上下文找出应当合为一个的实体
    .limit = 最多相互比较多少个实体
    .after = 从这个编号的实体之后继续
    .after_help =
        示例：
          annals graph duplicates
          annals graph merge --found

help-graph-thresholds = 显示实体要有多相似才会被找出
    .after_help =
        示例：
          annals graph thresholds

        在自适应的配置方案下，撤回的合并会提高相应类型的数值。

help-graph-merge = 把一个实体并入另一个，或合并 `duplicates` 找到的全部
    .source = 被并入的实体：名称或 #NUMBER
    .target = 并入的目标实体
    .reason = 原因：“by hand”，或找出它的依据
    .found = 合并 `duplicates` 找到的全部
    .after_help =
        示例：
          annals graph merge "#7" "#2" --reason "同一个人"
          annals graph merge --found

        合并不改写任何内容：`annals graph unmerge` 可以恢复原状，此后没有作业会再合并这两个。

help-graph-unmerge = 撤回一次合并
    .merge = 合并的编号
    .after_help =
        示例：
          annals graph unmerge 0

help-graph-merges = 列出现有的合并
    .entity = 只列出与这个实体有关的：名称或 #NUMBER
    .all = 也列出已撤回的：作业不会再次执行它们
    .after_help =
        示例：
          annals graph merges
          annals graph merges Ada
          annals graph merges --all

help-graph-links = 列出一条记忆的连接
    .after_help =
        示例：
          annals graph links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals graph links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --json

help-graph-link = 连接两条记忆
    .after_help =
        示例：
          annals graph link 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \
            0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01

help-graph-unlink = 取消两条记忆之间的连接
    .after_help =
        示例：
          annals graph unlink 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \
            0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01

help-graph-show = 以节点和边显示一条记忆

help-graph-clashes = 显示一条记忆所说的与别的记忆不能同时成立的内容

help-graph-stats = 统计图中的内容

help-graph-export = 写出图，供其他程序使用
    .format = dot 用于 GraphViz；graphml；json 可由 NetworkX 读取（3.6 之前用 edges="edges"）；ntriples（RDF）；或 triples：每个三元组一行一个 JSON 对象
    .memory = 只写这条记忆所说的；可以给出多次
    .all = 也写只有已忘掉的记忆说到的，并标明不可见
    .force = 替换已存在的文件
    .after_help =
        示例：
          annals graph export --format dot graph.dot
          annals graph export --format json --memory 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals graph export --format triples --all > triples.jsonl
          annals graph export --format dot --as-of 2026-01-01 january.dot

help-review = 等待裁定的记忆，以及对其他记忆的决定
    .after_help =
        示例：
          annals review list
          annals review keep 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals review delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals review proposals
          annals review contradictions
          annals review contradicts 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e \
            0197f5c2-6b00-7c3e-9f00-3f2a1b4c5d6e
          annals review accept 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
          annals review decisions

        配置方案要求在记忆消失或永久保留之前作出裁定时，记忆在此等待。提议是在不自动存入的配置方案（extract.auto = false）下从对话中找到的内容，以及对由人述说或永久保留的内容的删除；`annals review undo` 撤回一次拒绝。矛盾是彼此很相似、说法却不同的成对记忆；寻找它们的作业会自行处理有把握的。

help-review-list = 列出等待裁定的记忆

help-review-doubtful = 列出重要但没有把握的记忆

help-review-proposals = 列出从对话中找到、等待接受的记忆

help-review-contradictions = 列出可能互相矛盾的成对记忆，最相似的在前

help-review-contradicts = 裁定一条记忆与较早的一条矛盾：由配置方案决定如何处理

help-review-compatible = 裁定一对记忆可以同时成立

help-review-accept = 照提议执行
    .id = 提议的编号

help-review-reject = 拒绝提议
    .id = 提议的编号

help-review-keep = 让一条记忆留下

help-review-delete = 彻底删除一条记忆

help-review-promote = 不论裁定的问题是什么，都永久保留一条记忆；配置方案须有永久保留的类别

help-review-decisions = 显示对记忆作出的决定及理由
    .memory = 只显示关于这条记忆的
    .limit = 最多显示多少条，最新的在前
    .after_help =
        示例：
          annals review decisions
          annals review decisions --memory 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

        语言模型、其他裁判或人对记忆作出的决定：一条记忆可以消失还是永久保留，两条记忆说的相同还是矛盾，一条是否是另一条的原因，以及在对话中说过的话之后一条记忆是否仍然为真（此时会列出相应的发言）。保留最新的若干条，数目由配置方案决定（review.decisions）；决定随它所涉及的记忆一起删除。彻底删除的内容不能恢复；设置 review.delete_after_days 后，配置方案会先忘掉这样的记忆若干天再删除。

help-review-undo = 撤回一个决定：它改动的内容恢复原状
    .after_help =
        示例：
          annals review undo 12

        `annals review decisions` 显示各决定的编号。

help-queue = 等待或失败的后台任务：查看、重试、丢弃
    .after_help =
        示例：
          annals queue list
          annals queue retry 3
          annals queue retry --all
          annals queue drop 3

        由 `annals jobs run` 在后台完成的任务在此等待：要从中找出值得保留内容的对话，因多个来源之一被删除而要重新推导的记忆，以及带 --background 的删除。需要模型的任务等待模型；模型拒绝或答错五次的任务会放弃，直到 `retry`。下方列出最近的回答中没有采用的内容。丢弃一个删除任务时，尚未删除的内容会保留。

help-queue-list = 列出命名空间的后台任务

help-queue-retry = 立即重试一项，视为从未失败；或重试所有失败的
    .all = 所有失败后等待的和已放弃的

help-queue-drop = 从队列中取出一项

help-jobs = 配置方案的作业：运行到期的，停止和恢复它们
    .after_help =
        示例：
          annals jobs list
          annals jobs run
          annals jobs stop agent nightly
          annals jobs resume agent nightly

help-jobs-list = 显示作业何时运行过、下次何时运行

help-jobs-run = 运行到期的作业，按配置方案维护记忆
    .dry_run = 显示哪些作业到期、按规则现在会做什么、其他步骤要查看多少内容，但不执行
    .all = 运行所有作业，不论是否到期
    .files = 把镜像文件保存在这个文件夹下；其中的 {"{"}name{"}"} 是命名空间
    .after_help =
        示例：
          annals jobs run
          annals jobs run --dry-run
          annals jobs run --all

        请定期运行，例如用 cron 每小时一次：只处理到期的。使用默认配置方案的命名空间没有作业。

        写文件的作业（例如配置方案 markdown 的 MEMORY.md）需要一个文件夹：用 --files、$ANNALS_MIRRORS 或配置文件的 `mirrors` 指定。其中的 {"{"}name{"}"} 是命名空间，例如 ~/notes/{"{"}name{"}"}。

help-jobs-stop = 停止一个作业

help-jobs-resume = 恢复一个已停止的作业

help-jobs-trust-clock = 确认时钟是对的。命名空间很久没有使用时，时钟可能走快，因此先保留了内容；确认之后，这些内容按配置方案删除

help-model = 嵌入模型，以及语言模型调用的工具
    .after_help =
        示例：
          annals model pull sentence-transformers/all-MiniLM-L6-v2
          annals model import ./my-model --name mine
          annals recall "我住在哪里？" --embedder mine
          annals model tools graph > tools.json

        HF_ENDPOINT 指定另一个模型库，HF_TOKEN 是访问私有模型的令牌。中断的下载会从中断处继续。

help-model-pull = 从模型库下载 ONNX 形式的 sentence-transformers 模型
    .repo = 仓库的组织和名称
    .revision = 分支、标签或提交
    .file = 有多个 ONNX 文件时取哪一个

help-model-import = 把一个模型文件夹复制到存放模型的地方
    .folder = 含有 model.onnx 或 onnx/model.onnx 以及 tokenizer.json 的文件夹
    .name = 选用它时的名称 [默认：文件夹的名称]

help-model-list = 列出已有的模型

help-model-remove = 删除一个模型
    .name = 它的名称

help-model-tools = 以 JSON schema 打印语言模型可以调用的工具
    .profile = 取哪个配置方案的工具
    .language = 说明文字的语言
    .check = 改为读取一次调用：工具的名称和参数
    .after_help =
        示例：
          annals model tools graph > tools.json
          annals model tools agent
          annals model tools graph --check create_memory \
            '{"{"}"subject":"我","memory_type":"事件","topic":"吃饭"{"}"}'

        schema 采用函数调用 API 的形式：一个列表 "tools"，其元素的类型为 "function"。

help-model-call = 在命名空间里执行一次工具调用，并打印给模型的回答
    .tool = 工具的名称
    .arguments = 参数，一个 JSON 对象
    .profile = 命名空间尚不存在时所用的配置方案
    .after_help =
        示例：
          annals model call -n me create_memory \
            '{"{"}"subject":"我","memory_type":"事件","topic":"吃饭"{"}"}'
          annals model call -n me search_memories '{"{"}"query":"我为什么今天不开心？"{"}"}'

        工具是命名空间的配置方案所提供的工具。回答是一个 JSON 对象；调用有误时写在其中，并带有 "success": false，退出码为 4。无法执行的调用不会创建命名空间。

help-serve = 以 HTTP 提供记忆，并为其他进程持有数据库
    .listen = 监听的地址：PORT 或 ADDRESS:PORT [默认：127.0.0.1:19876]
    .demo = 提供随程序附带的示例对话，不保存任何内容
    .allow_host = 也响应此主机名；可多次给出
    .allow_origin = 允许此来源的页面凭令牌读取回答；可多次给出
    .store = 把记忆保存在此地址的 PostgreSQL 数据库，而不是文件 [环境变量：ANNALS_STORE]
    .compat = 也提供此程序的路由：其客户端以令牌为密钥
    .no_http = 不监听任何地址：只为其他进程持有数据库
    .idle = 多久没有调用、也没有进程连接就结束
    .after_help =
        会打印一个链接，浏览器凭它进入一次；程序须带上 `annals token create` 生成的令牌。各条路由见 /openapi.json。使用同一个数据库的命令、编辑器和智能体也通过这个进程，由它立即应答：嵌入模型和索引保留在内存里，到期的作业也由它运行。没有这样的进程时它们会自行启动一个不监听地址的；$ANNALS_SHARE 或配置文件的 `share` 决定是否如此（auto）、不启动（join：第一个进程在运行期间持有数据库），或让各进程轮流使用（off）。

        示例：
          annals serve
          annals serve --demo
          annals serve --listen 8080 --allow-origin https://app.example.org
          annals serve --compat mem0
          annals serve --no-http --idle 600 --db team.annals

help-token = HTTP 服务器的令牌：生成、列出、吊销
    .after_help =
        示例：
          annals token create bot -n user:42
          annals token create reader -n 'user:*' --right read --expires-at 2027-01-01
          annals token list
          annals token revoke 3f2a1b4c

        令牌只打印一次；数据库旁边的文件（agent.annals.tokens，仅其用户可读）只保存散列。

help-token-create = 生成一个令牌并打印一次
    .name = 令牌的用途
    .right = 允许的操作：read、write、delete、admin；可多次给出
    .all_namespaces = 可访问所有命名空间
    .expires_at = 何时失效

help-token-list = 列出令牌，不含其密文

help-token-revoke = 吊销令牌
    .id = 令牌的标识

help-token-link = 打印让浏览器进入一次的链接
    .listen = 服务器的地址：PORT 或 ADDRESS:PORT [默认：127.0.0.1:19876]

help-db = 数据库文件：统计、费用、空间、备份、修复、向量、核对
    .after_help =
        示例：
          annals db stats
          annals db usage --days
          annals --db old.annals db verify
          annals --db old.annals db compact
          annals db backup ~/backups/agent.annals
          annals db repair damaged.annals saved.annals

help-db-stats = 统计文件和命名空间的内容
    .after_help =
        示例：
          annals db stats
          annals db stats -n user:42 --json

help-db-usage = 显示语言模型的调用情况和费用
    .since = 只计这一天以来的调用
    .days = 逐日列出
    .after_help =
        示例：
          annals db usage
          annals db usage --since 2026-11-01 --days
          annals db usage --json

        对语言模型的每次调用都计在它所服务的数据库里：来自 `chat`、`ingest`、`jobs run`、`remember` 以及其他任何命令。日期按 UTC。费用按配置文件 [llm] 中调用当时的 price_input 和 price_output（每百万 token）计算。~ 表示 token 数是估算的，因为服务器没有给出。

help-db-verify = 把文件的每个索引与其他索引核对
    .after_help =
        示例：
          annals db verify
          annals --db old.annals db verify --json

        读取数据库的每个值，并把每个索引与其他索引核对，数据库大时需要一些时间。不需要嵌入模型和语言模型。每个问题占一行；有问题时退出码为 6。`annals doctor` 还检查各项设置。

help-db-compact = 回收文件中无用的空间
    .after_help =
        示例：
          annals db compact
          annals --db old.annals db compact

help-db-backup = 在使用中复制数据库，并核对副本
    .file = 新文件
    .force = 替换已存在的文件
    .after_help =
        示例：
          annals db backup ~/backups/agent-2026-11-27.annals
          annals db backup --force /mnt/usb/agent.annals

        包含所有命名空间的全部内容，都是同一次写入之后的状态；其间可以继续写入。副本先重新读取并核对，然后才得到名字；它本身就是数据库：`annals --db FILE recall ...` 可以查询。已删除的内容不在其中。用 `cp` 复制使用中的数据库，得到的副本可能无法打开。

help-db-restore = 用备份替换数据库
    .file = 备份：`annals db backup` 写的数据库，或任何其他数据库
    .force = 替换已有的数据库
    .after_help =
        示例：
          annals db restore ~/backups/agent-2026-11-27.annals
          annals --db new.annals db restore old.annals
          annals db restore --force ~/backups/agent-2026-11-27.annals

        先核对备份，备份保持不变。使用 --force 时，已有的数据库会被替换，并以 NAME.before-restore 保留在旁边。

help-db-move = 在文件与 PostgreSQL 之间复制数据库，并逐一核对
    .from = 复制的来源：文件或地址
    .to = 复制的去处：文件或地址
    .after_help =
        示例：
          annals db move ~/.local/share/annals/agent.annals postgres://annals@db.example.org/memories
          annals db move env:ANNALS_STORE back.annals

        两端都可以是文件或 PostgreSQL 的地址；env:NAME 表示变量中保存的地址。所有命名空间的全部内容先复制，再逐值核对。TO 必须为空；中断的复制会从停下的地方继续。FROM 保持原样，其间可以读取；若其间被写入，复制失败。

help-db-repair = 把损坏的数据库中还能读出的内容保存到新文件
    .source = 损坏的数据库
    .target = 新文件
    .after_help =
        示例：
          annals db repair agent.annals saved.annals
          annals db repair agent.annals saved.annals --json

        SOURCE 只被读取。能读出的内容写入 TARGET：每个值要么与原来一样，要么没有。丢失的内容连同命名空间、种类和编号列出；它们算作丢失，绝不算作已删除。有内容丢失时退出码为 6。`annals db restore TARGET --force` 把它放到数据库的位置。

help-db-reembed = 用所选的嵌入模型重新生成命名空间的向量
    .after_help =
        示例：
          annals db reembed --embedder ./all-MiniLM-L6-v2
          annals db reembed --embedder builtin -n user:42

        中途停止后再次运行会从停下的地方继续。其间仍可检索。

help-hook = 编程智能体的钩子：在已启用的项目里响应它们的事件
    .after_help =
        示例：
          annals hook enable
          annals hook enable --profile coding
          annals hook status
          annals hook temporary on
          annals hook claude-code SessionStart < event.json

        宿主启动 `annals hook HOST EVENT`，并通过标准输入给出 JSON。会话开始时和收到提示词时，回答会给出项目和用户的记忆；一轮结束时、压缩之前和会话结束时，说过的话会保留下来。

        钩子只在此处启用的项目里生效，也不保留启用之前说过的话。无论出什么错，回答都为空，退出码都是 0：宿主照常运行。`annals doctor` 显示最近的失败。ANNALS_HOOKS=off 关闭所有钩子。

help-hook-enable = 让钩子在一个项目里生效
    .profile = 项目记忆的配置方案；`coding` 让模型找出下一次会话仍然成立的内容 [默认：已有的方案，否则 `default`]

help-hook-disable = 让钩子不再生效；已保留的内容不变

help-hook-status = 显示钩子是否在一个项目里生效、还在哪里生效，以及最近的失败

help-hook-temporary = 把项目的一个会话设为临时：不保留它的任何内容，也不在其中显示记忆
    .state = 从现在起是否为临时会话
    .session = 会话 [默认：on 时为项目中最近得到记忆的会话，off 时为临时的那个会话]
    .folder = 项目里的一个文件夹 [默认：工作目录]

help-hook-claude-code = 响应 Claude Code 的一个事件

help-hook-codex = 响应 Codex 的一个事件

help-hook-cursor = 响应 Cursor 的一个事件

help-hook-gemini-cli = 响应 Gemini CLI 的一个事件

help-hook-copilot-cli = 响应 Copilot CLI 的一个事件

help-eval = 用标注数据测量检索、提取和合并
    .after_help =
        示例：
          annals eval recall locomo-dev.json
          annals eval extraction
          annals eval nodes --embedder ./all-MiniLM-L6-v2

help-eval-recall = 用标注的对话测量检索质量和速度
    .dataset = 数据集
    .results = 把每个问题的排名写入这个文件，每行一个 JSON
    .candidates = 把每个候选及其特征写入这个文件，每个问题一行 JSON
    .distractors = 为每个命名空间加入多少轮无关的发言
    .seed = 无关发言的随机种子
    .triples = 每轮发言同时存入其说话人提到其中的名称，让图里有内容
    .profile = 使用这个配置方案：自带的，或一个文件 [默认：未指定时命名空间所用的]
    .facts = 把每轮发言所说的存为会淡化的记忆，时间为说话时，代替不会淡化的发言
    .jobs = 让配置方案的作业随着对话的日子推移而运行
    .thresholds_zero = 开始使用索引的规模全部为 0
    .thresholds_max = 永远达不到开始使用索引的规模
    .without = 排名时不用这个特征，例如 speaker；可以给出多次
    .agree_with = 前十名中与这个结果文件相同的占多少
    .log = 把数值连同日期追加到这个文件，每次运行一行 JSON
    .force = 替换已存在的文件
    .after_help =
        示例：
          annals eval recall locomo-dev.json --results ranked.ndjson
          annals eval recall set.json --embedder ./all-MiniLM-L6-v2 --distractors 100000
          annals eval recall set.json --distractors 100000 --thresholds-max --agree-with ranked.ndjson
          annals eval recall set.json --profile studio --facts --jobs

        文件的内容为 {"{"}"conversations": [{"{"}"id", "turns": [{"{"}"id", "session", "speaker", "time",
        "text", "reply"{"}"}], "questions": [{"{"}"id", "q", "evidence": [turn ids], "asked_at"{"}"}]{"}"}]{"}"}。
        每个对话成为一个临时文件的命名空间；时钟停在 `asked_at`。没有 evidence 的问题是没有答案的问题：
        不计入召回，而计入 AUC，即有答案的问题的最高分高于没有答案的问题的比例。

help-eval-extraction = 测量提取器从标注的对话中找到多少，以及保留了多少
    .labelled = 标注的对话 [默认：自带的]
    .llm = URL#MODEL、anthropic#MODEL 或 replay:FILE [默认：$ANNALS_LLM]
    .labels = 直接存入标注的内容，不用提取器，只测存储
    .missed = 列出没有找到的事实、多找到的内容，以及回答得不好的问题
    .after_help =
        示例：
          annals eval extraction --llm http://localhost:11434/v1#qwen2.5 --missed
          annals eval extraction mine.json --labels --embedder ./all-MiniLM-L6-v2

        文件的内容为 {"{"}"name", "talks": [{"{"}"id", "turns": [{"{"}"role", "text", "time"{"}"}], "facts":
        {"["}{"{"}"id", "text", "kinds": [names], "says": [[words]], "not": [words], "details": [texts]{"}"}],
        "again": [{"{"}"id", "text"{"}"}]{"}"}], "apart": [[id, id]], "questions": [{"{"}"q", "facts": [ids]{"}"}]{"}"}。
        一条记忆含有 `says` 每一组中的一个词、且不含 `not` 中的词，就算说到一条事实；没有 `says` 时须含有全部 `details`。各段对话依次在内存里一个单独的命名空间中进行，并由提取器处理。

help-eval-nodes = 用标注的成对实体测量哪些实体会判为同一个
    .pairs = 标注的成对实体 [默认：自带的]
    .profile = 采用哪个配置方案的阈值
    .wrong = 列出判错的各对
    .after_help =
        示例：
          annals eval nodes
          annals eval nodes --embedder ./all-MiniLM-L6-v2 --wrong
          annals eval nodes pairs.json --json

        文件的内容为 {"{"}"name", "pairs": [{"{"}"one", "other", "same": true or false, "kind",
        "around": [[names], [names]]{"}"}]{"}"}：两个实体、它们是否为同一个，以及各自与哪些名称一起提到。每一对单独询问。

help-completions = 打印 shell 的补全脚本
    .shell = 哪一种 shell
    .after_help =
        示例：
          annals completions bash > ~/.local/share/bash-completion/completions/annals
          annals completions fish > ~/.config/fish/completions/annals.fish
