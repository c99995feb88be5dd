use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A task that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completed {
    /// The task.
    pub task: String,
    /// When another one took its place.
    pub completed_at: Timestamp,
}

/// The current task of a session and the last ones. Set from task descriptions, never written
/// freely by a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scratchpad {
    /// The current task; empty while there is none.
    pub current_focus: String,
    /// Projects that go on beside it, in the order given.
    pub active_projects: Vec<String>,
    /// The tasks before, the latest first.
    pub recent_completed: Vec<Completed>,
    /// When it was changed last; `None` before that.
    pub updated_at: Option<Timestamp>,
}

impl Scratchpad {
    /// Takes a description of what is being done now. `same` says whether it is the current task
    /// in other words; otherwise that one becomes the latest of at most `keep` completed ones. An
    /// empty description changes nothing; answers whether anything changed.
    pub fn focus(&mut self, task: &str, same: bool, keep: usize, now: Timestamp) -> bool {
        let task = task.trim();
        if task.is_empty() {
            return false;
        }
        let before = std::mem::replace(&mut self.current_focus, task.to_owned());
        if !before.is_empty() && !same {
            self.recent_completed.insert(
                0,
                Completed {
                    task: before,
                    completed_at: now,
                },
            );
            self.recent_completed.truncate(keep);
        }
        self.updated_at = Some(now);
        true
    }

    /// Whether there is nothing on it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.current_focus.is_empty()
            && self.active_projects.is_empty()
            && self.recent_completed.is_empty()
    }

    /// The scratchpad as Markdown under some titles, with moments as `shown` writes them; empty
    /// when there is nothing on it. A part without content is left out, and a task is one line
    /// whatever it holds.
    #[must_use]
    pub fn to_markdown(
        &self,
        titles: &ScratchpadTitles,
        shown: &dyn Fn(Timestamp) -> String,
    ) -> String {
        let mut parts = Vec::new();
        if !self.current_focus.is_empty() {
            parts.push(format!(
                "## {}\n\n{}\n",
                titles.task,
                line(&self.current_focus)
            ));
        }
        let list =
            |title: &str, items: Vec<String>| format!("## {title}\n\n{}\n", items.join("\n"));
        if !self.active_projects.is_empty() {
            parts.push(list(
                &titles.projects,
                self.active_projects
                    .iter()
                    .map(|it| format!("- {}", line(it)))
                    .collect(),
            ));
        }
        if !self.recent_completed.is_empty() {
            let done =
                |done: &Completed| format!("- {} ({})", line(&done.task), shown(done.completed_at));
            parts.push(list(
                &titles.completed,
                self.recent_completed.iter().map(done).collect(),
            ));
        }
        parts.join("\n")
    }
}

/// The titles of the parts of a scratchpad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScratchpadTitles {
    /// Above the current task.
    pub task: String,
    /// Above the projects under way.
    pub projects: String,
    /// Above the tasks that were completed last.
    pub completed: String,
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn titles() -> ScratchpadTitles {
        ScratchpadTitles {
            task: "Now".into(),
            projects: "项目".into(),
            completed: "Done".into(),
        }
    }

    #[test]
    fn the_last_tasks_are_kept_newest_first() {
        let mut pad = Scratchpad::default();
        assert!(pad.is_empty() && !pad.focus("  ", false, 5, at(0)) && pad.updated_at.is_none());
        assert_eq!(pad.to_markdown(&titles(), &|at| at.to_string()), "");
        for n in 0..8 {
            assert!(pad.focus(&format!("task {n}"), false, 5, at(n)));
        }
        assert_eq!(pad.current_focus, "task 7");
        let kept: Vec<&str> = pad
            .recent_completed
            .iter()
            .map(|done| done.task.as_str())
            .collect();
        assert_eq!(kept, ["task 6", "task 5", "task 4", "task 3", "task 2"]);
        assert_eq!(pad.recent_completed[0].completed_at, at(7));
        assert!(pad.focus("task 7, still", true, 5, at(9)));
        assert_eq!(
            (pad.recent_completed.len(), pad.updated_at),
            (5, Some(at(9)))
        );
    }

    #[test]
    fn a_task_stays_on_its_line() {
        let mut pad = Scratchpad::default();
        pad.focus("a\n# b", false, 5, at(0));
        pad.focus("c", false, 5, at(1));
        pad.active_projects = vec!["p\nq".to_owned()];
        let text = pad.to_markdown(&titles(), &|at| at.as_millis().to_string());
        assert_eq!(
            text,
            "## Now\n\nc\n\n## 项目\n\n- p q\n\n## Done\n\n- a # b (60000)\n"
        );
        let json = serde_json::to_string(&pad).unwrap();
        assert_eq!(serde_json::from_str::<Scratchpad>(&json).unwrap(), pad);
    }
}
