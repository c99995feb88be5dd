//! Reads the specifications that may lie beside the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use super::list::{List, Requirement, Section};
use crate::shell;

/// The files with their profiles. What all profiles share stands in the last.
const FILES: [(&str, &str); 6] = [
    ("companion", "companion.md"),
    ("studio", "studio.md"),
    ("agent", "agent.md"),
    ("graph", "graph.md"),
    ("markdown", "markdown.md"),
    ("shared", "overlap.md"),
];

const DEFERRED: &str = "[deferred in the source]";
const SUBSTITUTION: &str = "[substitution]";

/// Their folder, where it is there.
pub fn folder() -> Option<PathBuf> {
    shell::shared()
        .map(|shared| shared.join("specs"))
        .filter(|folder| folder.is_dir())
}

/// The list as the specifications have it, with acceptance lines.
pub fn read(folder: &Path) -> Result<List, String> {
    let mut sections = Vec::new();
    for (profile, name) in FILES {
        let file = folder.join(name);
        let text = fs::read_to_string(&file)
            .map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        sections.extend(parse(profile, &text));
    }
    Ok(List { sections })
}

/// The sections of one file that hold requirements.
fn parse(profile: &str, text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let title =
                heading.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c));
            let title = title
                .split(" – `[")
                .next()
                .unwrap_or(title)
                .trim()
                .to_owned();
            sections.push(Section {
                profile: profile.to_owned(),
                title,
                requirements: Vec::new(),
            });
        }
        let Some(section) = sections.last_mut() else {
            continue;
        };
        if let Some((id, text)) = line
            .strip_prefix("- **")
            .and_then(|rest| rest.split_once("** "))
        {
            section.requirements.push(requirement(id, text));
        } else if let Some(accept) = line.trim().strip_prefix("- accept:")
            && let Some(last) = section.requirements.last_mut()
        {
            last.accept = accept.trim().to_owned();
        }
    }
    sections.retain(|section| !section.requirements.is_empty());
    sections
}

/// A tag in the acceptance line speaks of a part of it only and does not count.
fn requirement(id: &str, text: &str) -> Requirement {
    let (text, accept) = text.split_once(" accept: ").unwrap_or((text, ""));
    Requirement {
        id: id.to_owned(),
        deferred: text.contains(DEFERRED),
        substitution: text.contains(SUBSTITUTION),
        text: text.trim().to_owned(),
        accept: accept.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_is_read_by_sections() {
        let text = "# Title\n\n## 1. First things\n\n- **C-01** (L1) One.\n  - accept: a → b [deferred in the source].\n\
                    ## 2. Empty\n- a list\n## 3. Later – `[deferred in the source]`\n\
                    - **C-02** [substitution] Two – `[deferred in the source]`.\n- **X-01** Three. accept: c.\n";
        let [first, later] = &parse("companion", text)[..] else {
            panic!("two sections")
        };
        assert_eq!(
            (first.title.as_str(), later.title.as_str()),
            ("First things", "Later")
        );
        let one = &first.requirements[0];
        assert_eq!(
            (one.id.as_str(), one.accept.as_str()),
            ("C-01", "a → b [deferred in the source].")
        );
        assert!(!one.deferred && !one.substitution);
        let [two, three] = &later.requirements[..] else {
            panic!("two requirements")
        };
        assert!(two.deferred && two.substitution);
        assert_eq!(
            (three.id.as_str(), three.accept.as_str(), three.deferred),
            ("X-01", "c.", false)
        );
    }
}
