use std::path::{Path, PathBuf};

use crate::edit::{self, Wanted};
use crate::file::HeldFile;
use crate::target::{self, Scope, Target};
use crate::{Client, Command, Error, Folders, Problem, backup, file};

/// The planned changes of files. Nothing is written before [`Plan::apply`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    changes: Vec<Change>,
}

/// The planned change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    clients: Vec<Client>,
    path: PathBuf,
    root: PathBuf,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    /// The copy from the time before annals.
    copy: Copy,
}

/// The fate of the copy of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copy {
    Leave,
    Make,
    Remove,
}

/// The fate of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// It stays as it is.
    Unchanged,
    /// It is made.
    Created,
    /// It is changed.
    Changed,
    /// It is removed: it held nothing but annals.
    Deleted,
}

/// Plans for several clients, which may share files.
#[derive(Debug)]
pub struct Planner<'f> {
    folders: &'f Folders,
    plan: Plan,
}

impl<'f> Planner<'f> {
    /// A planner that has planned nothing.
    #[must_use]
    pub fn new(folders: &'f Folders) -> Self {
        Self {
            folders,
            plan: Plan::default(),
        }
    }

    /// Plans the entry of the server in the files of a client. `hooks` adds the hooks; without it
    /// those that stand there already are brought up to date. In a project `hooks` holds only for a
    /// client that has any.
    ///
    /// # Errors
    ///
    /// An [`Error`] where a file cannot be read or cannot be changed safely, or where the client
    /// has no such files.
    pub fn install(
        &mut self,
        client: Client,
        scope: &Scope,
        command: &Command,
        hooks: bool,
    ) -> Result<(), Error> {
        if hooks && !client.has_hooks() && *scope == Scope::User {
            return Err(Error::NoHooks {
                client: client.title(),
            });
        }
        for target in target::targets(client, self.folders, scope)? {
            let wanted = Wanted::new(&target, command, self.folders.system, hooks)?;
            self.change(client, &target, |text| {
                let found = edit::find(text.unwrap_or_default(), &target)?;
                // A project may be somebody else's, and its entry would say with which libraries
                // annals runs.
                if let (Scope::Project(_), Some(foreign)) =
                    (scope, edit::foreign_members(&found, &target, &wanted))
                {
                    return Err(foreign);
                }
                if target.servers.is_none() && !hooks && found.is_nothing() {
                    return Ok(None);
                }
                let after = edit::install(text.unwrap_or_default(), &target, &wanted)?;
                // Entries written by hand, or by a version that kept no copy, are copied, too.
                Ok(Some((
                    Some(after),
                    if found.is_nothing() {
                        Some(Copy::Make)
                    } else {
                        None
                    },
                )))
            })?;
        }
        Ok(())
    }

    /// Plans to take everything of annals out of the files of a client, or only its hooks.
    ///
    /// # Errors
    ///
    /// An [`Error`] where a file cannot be read or cannot be changed safely.
    pub fn uninstall(
        &mut self,
        client: Client,
        scope: &Scope,
        only_hooks: bool,
    ) -> Result<(), Error> {
        for mut target in target::targets(client, self.folders, scope)? {
            if only_hooks {
                target.servers = None;
            }
            let copy = backup::read(&target.path)?;
            self.change(client, &target, |text| {
                let Some(text) = text.filter(|text| !text.is_empty()) else {
                    return Ok(None);
                };
                let after = edit::remove(text, &target, copy.as_deref())?;
                // A file without entries of annals is the user's: there is nothing to be copied.
                let whole = after.is_some() && after == copy;
                let becomes = if whole { Copy::Remove } else { Copy::Leave };
                Ok((after.as_deref() != Some(text)).then_some((after, Some(becomes))))
            })?;
        }
        Ok(())
    }

    /// The plan for all of them.
    #[must_use]
    pub fn finish(self) -> Plan {
        self.plan
    }

    /// Plans what `edit` makes of a file; it answers nothing where the file is not to be touched.
    fn change(
        &mut self,
        client: Client,
        target: &Target,
        edit: impl FnOnce(Option<&str>) -> Result<Option<(Option<String>, Option<Copy>)>, Problem>,
    ) -> Result<(), Error> {
        let refused = |problem| Error::Refused {
            path: target.path.clone(),
            problem,
        };
        let planned = self
            .plan
            .changes
            .iter()
            .position(|change| change.path == target.path);
        let mut change = match planned {
            Some(at) => self.plan.changes.swap_remove(at),
            None => Change::of(target)?,
        };
        let text = change
            .after
            .as_deref()
            .map(file::text)
            .transpose()
            .map_err(refused)?;
        match edit(text).map_err(refused)? {
            Some((after, copy)) => {
                change.after = after.map(String::into_bytes);
                change.copy = copy.unwrap_or(change.copy);
                change.clients.push(client);
            }
            None if planned.is_none() => return Ok(()),
            None => {}
        }
        self.plan.changes.push(change);
        Ok(())
    }
}

impl Plan {
    /// The files, in the order in which they are written.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Writes the files, each in one step.
    ///
    /// # Errors
    ///
    /// [`Error::Write`], and [`Error::Changed`] where a file is not what it was when it was
    /// planned. The files before it are written, those behind it are as they were.
    pub fn apply(&self) -> Result<(), Error> {
        self.changes.iter().try_for_each(Change::apply)
    }
}

impl Change {
    fn of(target: &Target) -> Result<Self, Error> {
        let bytes = file::read(&target.path)?;
        // A copy that is missing is made before any change; one that is there is left alone while
        // the file holds something of annals.
        let copied = backup::bytes(&target.path)?.is_some();
        Ok(Self {
            clients: Vec::new(),
            path: target.path.clone(),
            root: target.root.clone(),
            after: bytes.clone(),
            before: bytes,
            copy: if copied { Copy::Leave } else { Copy::Make },
        })
    }

    /// The clients that read the file.
    #[must_use]
    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its fate.
    #[must_use]
    pub fn action(&self) -> Action {
        match (&self.before, &self.after) {
            (before, after) if before == after => Action::Unchanged,
            (None, _) => Action::Created,
            (_, None) => Action::Deleted,
            _ => Action::Changed,
        }
    }

    /// The copy that is made of the file before it is changed, if one is made.
    #[must_use]
    pub fn backup(&self) -> Option<PathBuf> {
        let made = self.copy == Copy::Make && self.action() == Action::Changed;
        made.then(|| backup::place(&self.path))
    }

    /// The difference in the unified format; empty for a file that stays as it is.
    #[must_use]
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let name = |bytes: &Option<Vec<u8>>| match bytes {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(&self.before), text(&self.after));
        let diff = similar::TextDiff::from_lines(&before, &after);
        diff.unified_diff()
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }

    fn apply(&self) -> Result<(), Error> {
        let expected = self.before.as_deref();
        match (self.action(), &self.before, &self.after) {
            (Action::Unchanged, _, _) => return Ok(()),
            (Action::Deleted, Some(before), _) => file::delete(&self.path, &self.root, before)?,
            (_, before, Some(after)) => {
                if let (Some(before), Copy::Make) = (before, self.copy) {
                    backup::write(&self.path, before)?;
                }
                if before.is_none() {
                    file::keep_folder(&self.path, &self.root)?;
                }
                let mut held = HeldFile::hold(&self.path)?;
                if held.bytes() != expected {
                    return Err(Error::Changed {
                        path: self.path.clone(),
                    });
                }
                held.replace(after)?;
            }
            (_, _, None) => {}
        }
        if self.copy == Copy::Remove {
            backup::remove(&self.path)
        } else {
            Ok(())
        }
    }
}
