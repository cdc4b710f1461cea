// The pooled load by net/http's client, all as Go has it by default but the time-outs.
//
// The first line of stdin says what to send; the end of stdin ends it. A line of JSON on stdout tells of each request.
// What the client sent again by itself is not told to its caller: the bytes that left on each of its connections tell.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const clockMonotonic = 1

// spec is what to send. Times in seconds.
type spec struct {
	URL        string      `json:"url"`
	Method     string      `json:"method"`
	Headers    [][2]string `json:"headers"`
	Body       string      `json:"body"`
	Count      int         `json:"count"`
	PauseS     [2]float64  `json:"pause_s"`
	ConnectS   float64     `json:"connect_s"`
	ReadS      float64     `json:"read_s"`
	Seed       int64       `json:"seed"`
	CA         string      `json:"ca"`
	Insecure   bool        `json:"insecure"`
	ServerName string      `json:"server_name"`
}

// row is one request. Times in ns of the kernel's monotonic clock; 0: it did not come to that.
type row struct {
	Place   int         `json:"place"`
	Keyed   bool        `json:"keyed"`
	DueNs   int64       `json:"due_ns"`
	StartNs int64       `json:"start_ns"`
	FirstNs int64       `json:"first_ns"`
	EndNs   int64       `json:"end_ns"`
	Sent    int         `json:"sent"`
	Why     string      `json:"why"`
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Bytes   int64       `json:"bytes"`
	Errno   int         `json:"errno"`
	Dialing bool        `json:"dialing"`
	Timeout bool        `json:"timeout"`
	Cut     bool        `json:"cut"`
	Error   string      `json:"error"`
}

// began and beganNs are one moment, by Go's clock and by the kernel's, which Go's is but does not show.
var (
	began   = time.Now()
	beganNs = kernelNs()
)

func kernelNs() int64 {
	var at syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func nowNs() int64 { return beganNs + int64(time.Since(began)) }

// counted is a connection that knows how many bytes have left on it, and what ended it.
type counted struct {
	net.Conn
	written atomic.Int64
	ended   atomic.Value
}

func (c *counted) Write(data []byte) (int, error) {
	written, err := c.Conn.Write(data)
	c.written.Add(int64(written))
	c.note("write", err)
	return written, err
}

func (c *counted) Read(data []byte) (int, error) {
	read, err := c.Conn.Read(data)
	c.note("read", err)
	return read, err
}

func (c *counted) note(doing string, err error) {
	if err != nil && !errors.Is(err, net.ErrClosed) {
		c.ended.CompareAndSwap(nil, fmt.Sprintf("%s: %v", doing, err))
	}
}

// attempt is the use of one connection for a request.
type attempt struct {
	connection *counted
	before     int64
}

func (a attempt) hasSent() bool { return a.connection.written.Load() > a.before }

func (a attempt) endedBy() string {
	if why, known := a.connection.ended.Load().(string); known {
		return why
	}
	return "not known why"
}

// place is a pool of one connection, as the places of the pooled load have.
type place struct {
	spec   *spec
	number int
	keyed  bool
	client *http.Client
	pauses *rand.Rand
}

func newPlace(given *spec, number int, secured *tls.Config) *place {
	dialer := &net.Dialer{Timeout: seconds(given.ConnectS), KeepAlive: 30 * time.Second}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.ForceAttemptHTTP2 = false
	transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	transport.TLSClientConfig = secured
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &counted{Conn: connection}, nil
	}
	return &place{
		spec:   given,
		number: number,
		keyed:  number%2 == 0,
		client: &http.Client{Transport: transport, Timeout: seconds(given.ConnectS + given.ReadS)},
		pauses: rand.New(rand.NewSource(given.Seed*100_003 + int64(number))),
	}
}

// run sends until it is stopped. One whose time has passed while the last was under way is not made up for.
func (p *place) run(stopped <-chan struct{}, rows chan<- row) {
	due := nowNs()
	for serial := 1; ; serial++ {
		low, high := p.spec.PauseS[0], p.spec.PauseS[1]
		due = max(due+int64((low+p.pauses.Float64()*(high-low))*1e9), nowNs())
		select {
		case <-stopped:
			return
		case <-time.After(time.Duration(due - nowNs())):
		}
		rows <- p.send(due, serial)
	}
}

func (p *place) send(due int64, serial int) row {
	told := row{Place: p.number, Keyed: p.keyed, DueNs: due, StartNs: nowNs()}
	var mutex sync.Mutex
	var attempts []attempt
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			connection := countedOf(info.Conn)
			mutex.Lock()
			defer mutex.Unlock()
			attempts = append(attempts, attempt{connection, connection.written.Load()})
		},
		GotFirstResponseByte: func() {
			mutex.Lock()
			defer mutex.Unlock()
			told.FirstNs = nowNs()
		},
	}
	answer, err := p.client.Do(p.request(trace, serial))
	if err == nil {
		told.Status = answer.StatusCode
		for name, values := range answer.Header {
			told.Headers = append(told.Headers, [2]string{name, values[0]})
		}
		told.Bytes, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	mutex.Lock()
	defer mutex.Unlock()
	told.EndNs = nowNs()
	for number, one := range attempts {
		if one.hasSent() {
			told.Sent++
			if number < len(attempts)-1 && told.Why == "" {
				told.Why = one.endedBy()
			}
		}
	}
	if err != nil {
		told.blame(err)
	}
	return told
}

func (p *place) request(trace *httptrace.ClientTrace, serial int) *http.Request {
	ctx := httptrace.WithClientTrace(context.Background(), trace)
	request, err := http.NewRequestWithContext(ctx, p.spec.Method, p.spec.URL, bytes.NewReader([]byte(p.spec.Body)))
	if err != nil {
		fail(err)
	}
	for _, header := range p.spec.Headers {
		if header[0] == "Host" {
			request.Host = header[1]
		} else {
			request.Header.Set(header[0], header[1])
		}
	}
	if p.keyed {
		request.Header.Set("Idempotency-Key", fmt.Sprintf("%d-%d-%d", p.spec.Seed, p.number, serial))
	}
	return request
}

// blame says what the caller was told.
func (r *row) blame(err error) {
	r.Error = err.Error()
	var number syscall.Errno
	if errors.As(err, &number) {
		r.Errno = int(number)
	}
	var operation *net.OpError
	r.Dialing = errors.As(err, &operation) && operation.Op == "dial"
	var timed net.Error
	r.Timeout = errors.As(err, &timed) && timed.Timeout()
	// Where a kept connection was closed, net/http has an error of its own that only its text tells.
	closed := bytes.Contains([]byte(r.Error), []byte("server closed idle connection"))
	r.Cut = closed || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func countedOf(connection net.Conn) *counted {
	if secured, is := connection.(*tls.Conn); is {
		connection = secured.NetConn()
	}
	return connection.(*counted)
}

func secure(given *spec) (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: given.Insecure, ServerName: given.ServerName}
	if given.CA != "" {
		text, err := os.ReadFile(given.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", given.CA)
		}
	}
	return config, nil
}

func seconds(many float64) time.Duration { return time.Duration(many * float64(time.Second)) }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

func main() {
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	if err != nil {
		fail(err)
	}
	var given spec
	if err := json.Unmarshal(line, &given); err != nil {
		fail(err)
	}
	secured, err := secure(&given)
	if err != nil {
		fail(err)
	}
	stopped, rows := make(chan struct{}), make(chan row, 1024)
	var places sync.WaitGroup
	for number := 1; number <= given.Count; number++ {
		places.Add(1)
		go func(one *place) {
			defer places.Done()
			one.run(stopped, rows)
		}(newPlace(&given, number, secured))
	}
	go func() {
		io.Copy(io.Discard, input)
		close(stopped)
		places.Wait()
		close(rows)
	}()
	output := json.NewEncoder(os.Stdout)
	for told := range rows {
		if err := output.Encode(told); err != nil {
			fail(err)
		}
	}
}
