use super::*;

#[test]
fn orders_travel() {
    let order = Order {
        namespaces: Namespaces::Network,
        folder: "/a b/run".into(),
        record: "/a b/record".into(),
        timeout: Duration::from_millis(1500),
        name: "-x".into(),
        environment: vec![("A".into(), "b=c".into()), ("EMPTY".into(), "".into())],
        program: "p".into(),
        args: vec!["--".into(), vec![0xff, b'='].into_os_string()],
    };
    let words = order.words();
    assert_eq!(
        (words[0].as_os_str(), Order::read(&words[1..])),
        (OsStr::new(RUN), Some(order))
    );
    for short in 1..words.len() - 3 {
        assert_eq!(Order::read(&words[1..short]), None);
    }
}

#[test]
fn what_a_kernel_allows_travels_and_what_it_does_not_is_said() {
    for (line, missing) in [
        ("full 7", 0),
        ("full 2", 0),
        ("full 0", 1),
        ("network 4", 1),
        ("none 4", 1),
        ("none 0", 2),
    ] {
        let kernel = Kernel::read(line).unwrap();
        assert_eq!(kernel.line(), line);
        assert_eq!(kernel.shortfalls().len(), missing, "{line}: {:?}", kernel.shortfalls());
    }
    assert_eq!(Kernel::read("half 3"), None);
}

#[test]
fn a_missing_helper_is_said_and_tests_run_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let confinement = Confinement::new(&["/nowhere/helper".into()], dir.path());
    assert_eq!(confinement.shortfalls().len(), 1);
    let room = Room::new(dir.path()).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "exit 3"]);
    let finished = confinement
        .run(command, Some("name"), &room, Duration::from_secs(10))
        .unwrap();
    assert_eq!(finished.unwrap().ending, Ending::Exited(3));
}

#[test]
fn a_room_is_removed_whatever_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let room = Room::new(dir.path()).unwrap();
    let deep = room.folder().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("f"), "x").unwrap();
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(room.folder(), fs::Permissions::from_mode(0o500)).unwrap();
    drop(room);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
