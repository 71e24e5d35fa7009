package worker

import (
	"runtime"
	"sync"
)

// Go starts a thread when something shall run and no idle thread is there. In a closed
// sandbox no thread can be started, so those that a worker may need are made before. At
// any time run at most one thread for each of GOMAXPROCS, which is 2, the one that is in
// the package's code, and sysmon; a few more may be on their way from running to idle.
const idleThreads = 8

// startThreads makes so many threads that have nothing to do. Go keeps them.
func startThreads(n int) {
	var ready, all sync.WaitGroup
	release := make(chan struct{})
	ready.Add(n)
	for range n {
		all.Go(func() {
			runtime.LockOSThread() // so that no two are on one thread
			ready.Done()
			<-release
			runtime.UnlockOSThread()
		})
	}
	ready.Wait()
	close(release)
	all.Wait()
}

// settleThreads waits until no thread is being started any more. Whoever starts one
// does not stop for the collector before it is there.
func settleThreads() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // stops the world
}
