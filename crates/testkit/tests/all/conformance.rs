//! The suite on the oracle itself: what it expects of engines is so.

use fencewright_testkit::reference::ReferenceEngine;

fencewright_testkit::conformance!(ReferenceEngine);
