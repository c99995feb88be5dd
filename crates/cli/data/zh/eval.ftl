# 命令 eval 的文字。

eval-no-profile = 没有配置方案 { $profile }；自带的有 { $names }
eval-not-looked = { $windows }没有处理；其中说过的内容按遗漏计
eval-no-model = 没有指定语言模型，没有它就无法提取记忆
eval-no-model-advice = 用 --llm 或 $ANNALS_LLM 指定一个，或用 --labels 只测存储
eval-own-talks = 自带的对话
eval-unusable = { $path } 无法使用：{ $error }
eval-extraction-form = `annals eval extraction --help` 说明其格式
eval-extraction =
    { $name }：{ $talks } 段对话中的 { $facts } 条事实，{ $by } 找到 { $found } 条，存入 { $stored } 条，判断是否相同 { $decisions } 次，{ $questions } 个问题
    配置方案 { $profile }，{ $embedder }
    { $table }
eval-missed = 没有找到
eval-beside = 多找到的
eval-unanswered = 只答出一部分或没有答出

eval-own-pairs = 自带的词对
eval-nodes-form = `annals eval nodes --help` 说明其格式
eval-accuracy = 准确率
eval-precision-one = “相同”的精确率
eval-recall-one = “相同”的召回率
eval-pairs = { $name }：{ $pairs } 对，配置方案 { $profile }，{ $embedder }
eval-said-two = 相同，却判为不同
eval-said-one = 不同，却判为相同（{ $similarity }）

eval-features = 特征有 { $names }
eval-silent-turn = 对话 { $id }：{ $turn } 轮没有文本，略过
eval-no-questions = { $path } 里没有问题
eval-no-profile-or-file = 没有配置方案 { $named }；自带的有 { $names }，配置方案文件以 .toml 结尾
eval-not-utf8 = { $path } 不是 UTF-8
eval-write-figures = 写入数值
eval-auc = AUC（无答案的问题 { $unanswerable } 个）
eval-latency-50 = 延迟 p50
eval-latency-95 = 延迟 p95
eval-latency-99 = 延迟 p99
eval-millis = { $millis } 毫秒
eval-import = 导入
eval-turns-per-second = { $turns } 轮/秒
eval-indexes = 索引
eval-agreement = 一致度@10
eval-recall =
    { $name }：{ $questions } 个问题，{ $turns } 轮发言，{ $embedder }
    { $table }

eval-labels = 标注本身

eval-cannot-line = 无法写出一行：{ $reason }

eval-no-line = { $path } 第 { $number } 行不是结果行：{ $error }

eval-no-folder = 无法创建临时文件夹：{ $cause }

eval-not-left-out = 特征 { $feature } 不能去掉
eval-none-left = 没有剩下任何可用于排序的相关性特征

eval-extraction-accuracy = 提取准确度（F1）
eval-extraction-precision = {"  "}精确率
eval-extraction-recall = {"  "}召回率
eval-detail-retention = 细节保留
eval-type-classification = 类型判断
eval-deduplication = 去重
eval-retrieval-precision = 检索精确率@3
eval-retrieval-ndcg = 检索 nDCG@3
eval-seconds = { $seconds } 秒
