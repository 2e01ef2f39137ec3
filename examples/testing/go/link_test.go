package train

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// behind starts a link in front of a port and returns the address that leads across it, and a function for orders.
func behind(t *testing.T, port string, options ...string) (string, func(...string)) {
	name := fmt.Sprintf("go-%d", os.Getpid())
	words := append([]string{"link", "--publish", "0:" + port, "--name", name}, options...)
	link := exec.Command("windward", words...)
	output, err := link.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	link.Stderr = os.Stderr
	if err := link.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		link.Process.Signal(os.Interrupt)
		link.Wait()
	})
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		t.Fatal("no link")
	}
	address, _, _ := strings.Cut(lines.Text(), " ")
	lines.Scan()
	return address, func(order ...string) {
		if err := exec.Command("windward", append([]string{"link", "ctl", name}, order...)...).Run(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageBehindATrain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") }))
	defer server.Close()
	where, _ := url.Parse(server.URL)
	address, order := behind(t, where.Port(), "--profile", "train")
	order("down", "1s")
	began := time.Now()
	answer, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if time.Since(began) < 50*time.Millisecond {
		t.Fatal("faster than the train's round trip")
	}
}
