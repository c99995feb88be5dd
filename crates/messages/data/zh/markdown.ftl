# Markdown: memories that live in MEMORY.md.

extract =
    请分析以下对话记录，提取值得长期记忆的信息。

    输出一个 JSON 对象 {"{"}"memories": [...]{"}"}。对于每条记忆，输出：
    { $fields }
    没有值得记住的内容时，memories 为 []。{ -own-language }

    { -data-only }
field-content = 简洁的自然语言描述（一句话）
field-expires-at = 待办事项的日期 YYYY-MM-DD（只用于有日期的 todo）
field-contradicts = 被推翻的已有记忆的编号列表（可选）
heading-memories =
    # 历史记忆

    关于用户的关键信息：

## Tools

tool-recall_memory = 按需查找没有写进提示词的旧记忆，包括已归档的记忆。
    .query = 要找什么，自然语言
    .limit = 最多返回几条
    .include_active = 是否也包括未归档的记忆
