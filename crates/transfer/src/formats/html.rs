//! The words of HTML.

/// Elements that begin a line of their own.
const BLOCKS: [&str; 14] = [
    "p",
    "br",
    "div",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
];

/// The words of a piece of HTML, without its marks.
pub(super) fn words(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&plain(rest.get(..at).unwrap_or_default()));
        let mark = rest.get(at + 1..).unwrap_or_default();
        let begins = mark.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let Some(end) = mark.find('>').filter(|_| begins) else {
            out.push('<');
            rest = mark;
            continue;
        };
        let name = mark.get(..end).unwrap_or_default().trim_start_matches('/');
        let name = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if BLOCKS.contains(&name.as_str()) && !out.ends_with('\n') && !out.is_empty() {
            out.push('\n');
        }
        rest = mark.get(end + 1..).unwrap_or_default();
        // What is written for the program and not for its reader.
        if matches!(name.as_str(), "script" | "style") && !mark.starts_with('/') {
            let close = format!("</{name}");
            let behind = rest.to_ascii_lowercase().find(&close).unwrap_or(rest.len());
            rest = rest.get(behind..).unwrap_or_default();
        }
    }
    out.push_str(&plain(rest));
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// A text with characters in the place of their names.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.get(..at).unwrap_or_default());
        let behind = rest.get(at + 1..).unwrap_or_default();
        let named = behind
            .get(..behind.floor_char_boundary(12))
            .and_then(|start| start.split_once(';'));
        match named.and_then(|(name, _)| Some((name, character(name)?))) {
            Some((name, character)) => {
                out.push(character);
                rest = behind.get(name.len() + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(
            || number.parse().ok(),
            |hex| u32::from_str_radix(hex, 16).ok(),
        );
        return char::from_u32(code?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_html_stand_in_lines() {
        let html = "<p>One &amp; two</p><ul><li>a&#39;s</li><li>b</li></ul>1 < 2 &unknown; <script>x()</script>end";
        assert_eq!(words(html), "One & two\na's\nb\n1 < 2 &unknown; end");
    }
}
