# Markdown: memories that live in MEMORY.md.

extract =
    Read the conversation below and find what is worth remembering for a long time.

    Answer with one JSON object {"{"}"memories": [...]{"}"}. For each memory give:
    { $fields }
    If nothing is worth remembering, memories is []. { -own-language }

    { -data-only }
field-content = a short description in plain words (one sentence)
field-expires-at = the day YYYY-MM-DD of a todo (only for todos with a date)
field-contradicts = the ids of known memories that it overturns (optional)
heading-memories =
    # Memories

    Key information about the user:

## Tools

tool-recall_memory = Looks up older memories that are not in the prompt, archived ones included.
    .query = what to look for, in plain words
    .limit = the most results
    .include_active = whether memories that are not archived are looked among too
