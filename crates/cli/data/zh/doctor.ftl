# 命令 doctor 的文字。

doctor-none-yet = { $path } 处还没有数据库
doctor-none-yet-advice = `annals remember` 会创建它
doctor-owner-own = ，因为它有自己的 { $own }
doctor-owner = 进程 { $pid }（annals { $version }）代为访问这个数据库{ $keeps }
doctor-by-words-only = 命名空间 { $name } 只按词语检索：它的向量来自 { $embedder }
doctor-reembed = 用要使用的嵌入模型运行 { $commands }，或用 --embedder 指定原来的那个
doctor-and = 、
doctor-queue-advice = 各命名空间的 `annals queue list` 列出它们及原因；`annals queue retry --all` 全部重试

doctor-hooks-act = 在 { $projects }中生效
doctor-hooks-failed = 失败 { $told }

doctor-none = 无
doctor-settings =
    配置文件 { $config }
    命名空间 { $namespace }
    模型位于 { $models }
    时区 { $zone }；时间均以 UTC 显示
doctor-builtin = 内置
doctor-small = 内置小模型
doctor-small-better = 换用 `small` 会找得更准：对你对话中的 { $questions } 个问题，它把后面的回答排在 { $after }（平均倒数排名），内置嵌入模型为 { $before }
doctor-small-advice = 使用 `--embedder small`（或在配置文件中写 `embedder = "small"`），然后对每个命名空间运行 `annals db reembed`；之后每次提问大约多花一毫秒
doctor-model-at = { $model }，位于 { $base_url }
doctor-embedder-advice = `--embedder builtin` 不需要任何其他东西
doctor-embedder = { $chosen }：{ $embedder }，每个向量 { $dims } 维
doctor-onnx = { $version }，来自 { $path }（{ $describe }）
doctor-onnx-needs = ；只有自备的模型才需要它
doctor-onnx-not-found =
    没有找到{ $needs }
    { $tried }
doctor-onnx-advice = 运行 `pip install onnxruntime` 即可，或把 ORT_DYLIB_PATH 设为该库的路径
doctor-tokens-estimated = 估算
doctor-tokens-counted = 用 { $path } 计数，词表有 { $vocabulary } 项
doctor-tokens-advice = 由 $ANNALS_TOKENIZER 或配置文件的 `tokenizer` 指定；不指定则估算 token 数
doctor-onnx-tried = 试过 { $path }（{ $describe }）

doctor-reader = 处理对话的模型：
doctor-model-advice = 用 $ANNALS_LLM 或配置文件的 [llm] 指定一个：`annals chat` 和 `annals ingest` 需要它
doctor-model-none = 没有指定语言模型：对话原样保存，不从中提取记忆
doctor-model-not-listed = 服务器没有列出 { $model }{ $offered }
doctor-model-no-list = 服务器在 { $address }/models 没有列出模型
doctor-model-address = 请检查地址：通常以 /v1 结尾
doctor-model-name = 请检查模型的名称
doctor-model-none-listed = ，也没有列出任何其他模型
doctor-model-lists-some = ；它列出 { $count } 个模型，例如 { $names }
doctor-model-lists = ；它列出 { $names }
doctor-transcript = 记录文件 { $file }
doctor-by = { $what }，由 { $by } 指定
doctor-no-key = 没有密钥
doctor-key-variable = 密钥来自 ${ $variable }
doctor-key-file = 密钥来自 { $file }
doctor-model = { $model }，位于 { $address }（{ $protocol }），{ $key }
doctor-calls = ，每分钟 { $calls } 次调用
doctor-tokens = ，每分钟 { $tokens } 个 token
doctor-price = ，每百万 token 输入 { $price_input }、输出 { $price_output }

doctor-ok = 正常
doctor-note = 提示
doctor-problem = 有问题
doctor-name-settings = 设置
doctor-name-embedder = 嵌入模型
doctor-name-onnx-runtime = ONNX Runtime
doctor-name-model = 语言模型
doctor-name-tokens = token 计数
doctor-name-database = 数据库
doctor-name-projects = 项目
doctor-name-owner = 持有者
doctor-name-vectors = 向量
doctor-name-queue = 任务队列
doctor-name-clock = 时钟
doctor-name-hooks = 钩子

## 查找库的位置；英文词来自嵌入模块

doctor-place-the-setting = 设置
doctor-place-the-variable-ort_dylib_path = 环境变量 ORT_DYLIB_PATH
doctor-place-beside-the-program = 程序旁边
doctor-place-where-the-system-looks-for-libraries = 系统查找库的位置
doctor-place-the-python-package-onnxruntime = Python 包 onnxruntime
