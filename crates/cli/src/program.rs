use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::world::World;

/// Folders in which launchers keep programs that they may throw away.
const FLEETING: [&str; 4] = ["archive-v0", "environments-v2", "_npx", "dlx"];

/// The absolute path by which others start this program.
///
/// Where a folder of `PATH` leads to it, that name is taken: it stays when a package manager puts a
/// new version elsewhere.
pub(crate) fn path(world: &World<'_>) -> Result<PathBuf, Failure> {
    if let Some(program) = &world.program {
        return Ok(program.clone());
    }
    let running = std::env::current_exe()
        .map_err(|error| Failure::new(Exit::Failed, text!("common-program-where", error)))?;
    Ok(on_path(world, &running).unwrap_or(running))
}

fn on_path(world: &World<'_>, running: &Path) -> Option<PathBuf> {
    let name = format!("annals{}", std::env::consts::EXE_SUFFIX);
    let folders =
        std::env::split_paths(world.var_os("PATH")?).filter(|folder| folder.is_absolute());
    // A program that is not there is not the same.
    folders
        .map(|folder| folder.join(&name))
        .find(|path| same_file::is_same_file(path, running).unwrap_or(false))
}

/// Whether a launcher such as `uvx` or `npx` may throw the program away.
pub(crate) fn is_fleeting(program: &Path) -> bool {
    program
        .components()
        .any(|part| FLEETING.iter().any(|name| part.as_os_str() == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_name_on_the_path_is_taken_where_it_leads_to_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("Cellar/annals/0.1/annals");
        std::fs::create_dir_all(real.parent().unwrap()).unwrap();
        std::fs::write(&real, "").unwrap();
        let (bin, other) = (folder.path().join("bin"), folder.path().join("other"));
        std::fs::create_dir(&bin).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("annals"), "").unwrap();
        std::os::unix::fs::symlink(&real, bin.join("annals")).unwrap();

        let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
        let mut world = World::new(&mut input, &mut out, &mut err);
        assert_eq!(on_path(&world, &real), None);
        let path = std::env::join_paths([&other, &bin]).unwrap();
        world.env.insert("PATH".to_owned(), path);
        assert_eq!(on_path(&world, &real), Some(bin.join("annals")));
    }

    #[test]
    fn programs_in_caches_of_launchers_do_not_stay() {
        assert!(is_fleeting(Path::new(
            "/home/ada/.cache/uv/archive-v0/x/bin/annals"
        )));
        assert!(is_fleeting(Path::new(
            "/home/ada/.npm/_npx/1/node_modules/annals/bin/annals"
        )));
        assert!(!is_fleeting(Path::new("/home/ada/.cargo/bin/annals")));
    }
}
