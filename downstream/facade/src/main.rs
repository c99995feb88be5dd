//! Uses the facade as an application would.

use annals::blocking::Memory;

fn main() -> Result<(), annals::Error> {
    let memory = Memory::options().in_memory()?;
    let user = memory.namespace("user:42")?;
    let id = user.remember("I moved to Berlin in March 2023 for a job at a robotics startup.")?;
    user.remember("我养了一只叫小白的猫。")?;
    let hits = user.recall("where do I live now? Berlin?")?;
    assert_eq!(hits[0].id, id);
    let hits = user.recall("我的猫叫什么名字")?;
    assert!(hits[0].text.contains("小白"));
    user.forget(id)?;
    assert!(user.recall("Berlin")?.iter().all(|hit| hit.id != id));
    Ok(())
}
