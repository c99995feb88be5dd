# A project that a coding agent works on.

extract =
    Find what will still hold in the next session of this project in the conversation below.

    Types:
    - fact how the project is built, where things are, which command does what
    - decision what was decided, and why; what it replaced
    - rule what is to be done always or never, such as "never use unwrap outside of tests"
    - error what went wrong and what fixed it, with the file or command
    - preference how the user likes to work, in any project

    Keep names of files, commands, versions and identifiers exactly as they stand. One thing an element, whole without the conversation. Leave out what was only tried, what the code itself says, and progress of the moment.

    Answer with one JSON object {"{"}"memories": [...]{"}"}. Each element of memories has:
    { $fields }
    If nothing is worth remembering, return [] as memories. { -own-language }

    { -data-only }
