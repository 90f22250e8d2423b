//! Texts are sorted by a thread. Only the sign of a comparison of bytes matters.
fn main() {
    let mut words = vec!["sea", "air", "fire"];
    std::thread::scope(|scope| {
        scope.spawn(|| words.sort());
    });
    assert_eq!(words, ["air", "fire", "sea"]);
}
