use crate::context::unmarked;

/// A text with places `{name}`, and with clauses: parts that begin with a line `@name`, which is
/// not part of what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template(&'static str);

impl Template {
    pub(super) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The text with its places filled. Values are data: they are not looked through for places
    /// again, and marks in them that a chat template or the text around would act on are broken
    /// up. A place without a value stays as it is.
    #[must_use]
    pub fn render(&self, values: &[(&str, &str)]) -> String {
        let said: Vec<&str> = self.0.lines().filter(|line| !line.starts_with('@')).collect();
        fill(&said.join("\n"), values)
    }

    /// A clause by its name, with its places filled: the lines up to the next clause or the end.
    #[must_use]
    pub fn clause(&self, name: &str, values: &[(&str, &str)]) -> Option<String> {
        let mut lines = self.0.lines().skip_while(|line| line.strip_prefix('@') != Some(name));
        lines.next()?;
        let said: Vec<&str> = lines.take_while(|line| !line.starts_with('@')).collect();
        Some(fill(said.join("\n").trim(), values))
    }
}

/// A text with its places filled.
pub(crate) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let place = after.split_once('}').and_then(|(name, behind)| {
            let value = values.iter().find(|(known, _)| *known == name)?.1;
            Some((value, behind))
        });
        match place {
            Some((value, behind)) => {
                out.push_str(&unmarked(value));
                rest = behind;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
