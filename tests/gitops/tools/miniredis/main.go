// A Redis server for Argo CD: miniredis HOST:PORT. It needs no package of the machine, and keeps nothing.
package main

import (
	"log"
	"os"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	// Its entries only expire when it is told that time has passed.
	for range time.Tick(time.Second) {
		server.FastForward(time.Second)
	}
}
