//! A process dies at any commit of embedding everything again: no old vector outlives the next
//! one, and deletions find all.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::cutoff::Disk;
use crate::support::few::Few;
use annals::blocking::Memory;
use annals::storage::{Engine, KeyRange, Keyspace};
use annals::{Filter, Mode, NewMemory, Options};

/// How many vectors each space of the file holds, by its number.
fn vectors(disk: &Disk) -> Vec<(u32, usize)> {
    let mut found: Vec<(u32, usize)> = Vec::new();
    let all = KeyRange::prefix(Keyspace::new("vector.codes"), &[]);
    let count = &mut |_: usize, key: &[u8], _: &[u8]| {
        let number = u32::from_be_bytes(key[4..8].try_into().unwrap());
        match found.last_mut().filter(|(last, _)| *last == number) {
            Some((_, count)) => *count += 1,
            None => found.push((number, 1)),
        }
        Ok(ControlFlow::Continue(()))
    };
    disk.kept
        .snapshot()
        .unwrap()
        .multi_range(&[all], count)
        .unwrap();
    found
}

fn filled(torn: bool) -> Disk {
    let disk = Disk::new(torn);
    let memory = Options::new().open_on(Box::new(disk.clone())).unwrap();
    let space = memory.namespace("u").unwrap();
    let note = |n: u32| NewMemory::builder(format!("note {n}")).build().unwrap();
    space.bulk().remember((0..20).map(note).collect()).unwrap();
    disk
}

fn anew(disk: &Disk) -> Memory {
    disk.dies_after(u64::MAX);
    Options::new()
        .embedder(Arc::new(Few))
        .open_on(Box::new(disk.clone()))
        .unwrap()
}

#[test]
fn old_vectors_go_whenever_the_process_dies() {
    for torn in [false, true] {
        for writes in 1.. {
            let disk = filled(torn);
            let memory = anew(&disk);
            disk.dies_after(writes);
            let done = memory
                .namespace("u")
                .unwrap()
                .transfer()
                .reembed(&mut |_| {});
            let dead = disk.is_dead();
            drop(memory);
            let memory = anew(&disk);
            memory.wait_idle().unwrap();
            assert_eq!(
                memory.validate().unwrap().problems,
                [""; 0],
                "dead after {writes}"
            );
            let both = [(0, 20), (1, 20)];
            let left = vectors(&disk);
            assert!(
                both.starts_with(&left) || left == both[1..],
                "dead after {writes}: {left:?}"
            );
            memory
                .namespace("u")
                .unwrap()
                .bulk()
                .delete_where(&Filter::default(), Mode::Commit)
                .unwrap();
            memory.wait_idle().unwrap();
            assert_eq!(vectors(&disk), [], "dead after {writes}");
            if done.is_ok() && !dead {
                assert!(writes > 4, "{writes}");
                break;
            }
        }
    }
}
