//! The types of the TypeScript client, made of the description of the routes.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::shell::{Done, root};

const HEADING: &str =
    "// Made of docs/openapi.json: run `cargo xtask typescript` after the routes have changed.\n";

/// Writes the types, or with `--check` tells whether they are those of the description.
pub fn run(args: &[String]) -> Done {
    let (from, to) = (root().join("docs/openapi.json"), routes());
    let text =
        fs::read_to_string(&from).map_err(|e| format!("cannot read {}: {e}", from.display()))?;
    let document: Value =
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", from.display()))?;
    let made = module(&document)?;
    match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => fs::write(&to, made).map_err(|e| format!("cannot write {}: {e}", to.display())),
        ["--check"] if fs::read_to_string(&to).is_ok_and(|there| there == made) => Ok(()),
        ["--check"] => Err(format!(
            "{} is not that of {}: run cargo xtask typescript",
            to.display(),
            from.display()
        )),
        _ => Err("usage: cargo xtask typescript [--check]".to_owned()),
    }
}

/// The file of the types.
fn routes() -> PathBuf {
    root().join("examples/typescript/routes.ts")
}

/// The module with a type for each schema, and one for each route.
fn module(document: &Value) -> Result<String, String> {
    let mut out = HEADING.to_owned();
    for (name, schema) in object(document, "/components/schemas")? {
        let _ = write!(
            out,
            "\n{}export type {name} = {};\n",
            comment(schema, ""),
            type_of(schema, "")?
        );
    }
    out.push_str("\n/** The routes: what each is asked with, and its answer. */\nexport interface Routes {\n");
    for (path, item) in object(document, "/paths")? {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let _ = writeln!(
                out,
                "{}  \"{} {path}\": {{",
                comment(operation, "  "),
                method.to_uppercase()
            );
            out.push_str(&request(operation).map_err(|why| format!("{method} {path}: {why}"))?);
            out.push_str("  };\n");
        }
    }
    out.push_str("}\n");
    Ok(out)
}

/// The parameters, the body and the answer of an operation.
fn request(operation: &Value) -> Result<String, String> {
    let mut out = String::new();
    let parameters = operation["parameters"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (place, field) in [("path", "path"), ("query", "query"), ("header", "headers")] {
        let here: Vec<&Value> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == place)
            .collect();
        if here.is_empty() {
            continue;
        }
        let must = here.iter().any(|parameter| parameter["required"] == true);
        let mut fields = String::new();
        for parameter in here {
            let name = parameter["name"]
                .as_str()
                .ok_or("a parameter has no name")?;
            let is_optional = parameter["required"] != true;
            let told = comment(parameter, "      ");
            let _ = writeln!(
                fields,
                "{told}      {}",
                field_of(name, is_optional, &type_of(&parameter["schema"], "      ")?)
            );
        }
        let _ = writeln!(
            out,
            "    {}",
            field_of(field, !must, &format!("{{\n{fields}    }}"))
        );
    }
    if let Some(content) = operation
        .pointer("/requestBody/content")
        .and_then(Value::as_object)
    {
        let types: Result<Vec<String>, String> = content
            .iter()
            .map(|(media, content)| {
                carried(
                    media,
                    &content["schema"],
                    if media == "multipart/form-data" {
                        "FormData"
                    } else {
                        "Blob"
                    },
                )
            })
            .collect();
        let _ = writeln!(out, "    body: {};", union(types?));
    }
    let mut answers = Vec::new();
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        if !status.starts_with('2') {
            continue;
        }
        match response["content"].as_object() {
            None => answers.push("undefined".to_owned()),
            Some(content) => {
                for (media, content) in content {
                    answers.push(carried(media, &content["schema"], "Response")?);
                }
            }
        }
    }
    let answer = if answers.is_empty() {
        "Response".to_owned()
    } else {
        union(answers)
    };
    let _ = writeln!(out, "    answer: {answer};");
    Ok(out)
}

/// The type of what a body carries: the client reads and writes JSON, its caller anything else.
fn carried(media: &str, schema: &Value, otherwise: &str) -> Result<String, String> {
    if media == "application/json" {
        type_of(schema, "    ")
    } else {
        Ok(otherwise.to_owned())
    }
}

/// A schema as a type.
fn type_of(schema: &Value, indent: &str) -> Result<String, String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/components/schemas/");
        return name
            .map(str::to_owned)
            .ok_or_else(|| format!("{reference} leads elsewhere"));
    }
    if let Some(values) = schema["enum"].as_array() {
        return Ok(union(values.iter().map(Value::to_string).collect()));
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            let types: Result<Vec<String>, String> = choices
                .iter()
                .map(|choice| type_of(choice, indent))
                .collect();
            return types.map(union);
        }
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return Err(format!("a schema says no type: {schema}")),
    };
    let types: Result<Vec<String>, String> = kinds
        .into_iter()
        .map(|kind| kind_of(kind, schema, indent))
        .collect();
    types.map(union)
}

/// One kind of value.
fn kind_of(kind: &str, schema: &Value, indent: &str) -> Result<String, String> {
    Ok(match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let item = type_of(&schema["items"], indent)?;
            if item.contains(" | ") {
                format!("({item})[]")
            } else {
                format!("{item}[]")
            }
        }
        "object" => match schema["properties"].as_object() {
            Some(fields) => fields_of(fields, &schema["required"], indent)?,
            None => format!(
                "{{ [name: string]: {} }}",
                type_of(&schema["additionalProperties"], indent)?
            ),
        },
        other => return Err(format!("{other} is no kind of value")),
    })
}

fn fields_of(
    fields: &Map<String, Value>,
    required: &Value,
    indent: &str,
) -> Result<String, String> {
    if fields.is_empty() {
        return Ok("Record<string, never>".to_owned());
    }
    let inner = format!("{indent}  ");
    let mut out = "{\n".to_owned();
    for (name, schema) in fields {
        let must = required
            .as_array()
            .is_some_and(|names| names.iter().any(|must| must == name));
        let told = comment(schema, &inner);
        let _ = writeln!(
            out,
            "{told}{inner}{}",
            field_of(name, !must, &type_of(schema, &inner)?)
        );
    }
    Ok(format!("{out}{indent}}}"))
}

fn field_of(name: &str, is_optional: bool, kind: &str) -> String {
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = if is_word {
        name.to_owned()
    } else {
        format!("{name:?}")
    };
    format!("{name}{}: {kind};", if is_optional { "?" } else { "" })
}

/// Types, each once.
fn union(types: Vec<String>) -> String {
    let mut once: Vec<String> = Vec::new();
    for kind in types {
        if !once.contains(&kind) {
            once.push(kind);
        }
    }
    once.join(" | ")
}

/// What is said of something, as the comment before it.
fn comment(value: &Value, indent: &str) -> String {
    let said = [&value["summary"], &value["description"]];
    let said: Vec<&str> = said.into_iter().filter_map(Value::as_str).collect();
    // An end of a comment in a text would end it here.
    let text = said.join("\n\n").replace("*/", "*\\/");
    match text.lines().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

fn object<'a>(document: &'a Value, pointer: &str) -> Result<&'a Map<String, Value>, String> {
    document
        .pointer(pointer)
        .and_then(Value::as_object)
        .ok_or_else(|| format!("there is no {pointer}"))
}

#[cfg(test)]
mod tests {
    use super::{module, run};
    use serde_json::json;

    #[test]
    fn the_committed_types_are_those_of_the_description() {
        run(&["--check".to_owned()]).unwrap();
    }

    #[test]
    fn schemas_become_types() {
        let made = module(&json!({
            "components": { "schemas": {
                "A": { "type": "object", "required": ["b"], "properties": {
                    "b": { "oneOf": [{ "$ref": "#/components/schemas/C" }, { "type": "null" }], "description": "x */ y" },
                    "x-d": { "type": ["array", "null"], "items": { "type": "integer" } } } },
                "C": { "enum": ["one", "two"], "type": "string" } } },
            "paths": { "/a/{id}": { "put": {
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                    { "name": "Key", "in": "header", "schema": { "type": "string" } }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } },
                "responses": { "200": { "content": { "text/plain": {} } }, "204": {}, "default": {} } } } }
        }));
        let made = made.unwrap();
        for part in [
            "export type A = {\n  /** x *\\/ y */\n  b: C | null;\n  \"x-d\"?: number[] | null;\n};",
            "export type C = \"one\" | \"two\";",
            "  \"PUT /a/{id}\": {\n    path: {\n      id: string;\n    };\n    headers?: {\n      Key?: string;\n    };\n    \
             body: A;\n    answer: Response | undefined;\n  };",
        ] {
            assert!(made.contains(part), "{part}\nis not in\n{made}");
        }
        assert!(module(&json!({ "components": { "schemas": { "A": {} } }, "paths": {} })).is_err());
    }
}
