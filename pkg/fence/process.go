// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A process is a child. It waits for its request, and ends when it has answered.
type process struct {
	command   *exec.Cmd
	requests  io.WriteCloser
	said      head
	complaint head
	kill      context.CancelFunc
}

// run has a child answer a request, with open files, and returns how it ended. One that
// waited and was ended meanwhile, as by a system that is short of memory, has seen no request:
// another one takes its place.
func (f *Fence) run(ctx context.Context, request []byte, files []*os.File) (*process, *os.ProcessState, error) {
	if len(files) == 0 {
		if p := f.ahead.take(f); p != nil {
			if state, read := p.ask(ctx, request); read || ctx.Err() != nil {
				return p, state, nil
			}
		}
	}
	p, err := f.start(files)
	if err != nil {
		return nil, nil, err
	}
	state, _ := p.ask(ctx, request)
	return p, state, nil
}

// start starts a child.
func (f *Fence) start(files []*os.File) (*process, error) {
	life, kill := context.WithCancel(context.Background())
	p := &process{said: head{room: maxAnswerBytes}, complaint: head{room: maxComplaintBytes}, kill: kill}
	p.command = exec.CommandContext(life, program())
	p.command.Args = []string{childName}
	p.command.Env = []string{"GOMAXPROCS=" + strconv.Itoa(f.Limits.Cores), "GOTRACEBACK=none"}
	p.command.ExtraFiles = files
	p.command.SysProcAttr = attributes()
	p.command.WaitDelay = time.Second
	p.command.Stdout, p.command.Stderr = &p.said, &p.complaint
	var err error
	if p.requests, err = p.command.StdinPipe(); err == nil {
		err = p.command.Start()
	}
	if err != nil {
		kill()
		return nil, err
	}
	return p, nil
}

// ask gives the child its request, and returns how it ended, and whether it took the
// request. When the context ends, so does the child.
func (p *process) ask(ctx context.Context, request []byte) (state *os.ProcessState, read bool) {
	defer p.kill()
	defer context.AfterFunc(ctx, p.kill)()
	_, err := p.requests.Write(request)
	_ = p.requests.Close()
	_ = p.command.Wait() // the state says more
	return p.command.ProcessState, err == nil
}

// end ends a child that had no request.
func (p *process) end() {
	p.kill()
	_ = p.command.Wait()
}

// maxComplaintBytes bounds what is kept of a child's last words.
const maxComplaintBytes = 4 << 10

// head keeps the beginning of what is written.
type head struct {
	text []byte
	room int
	more bool
}

// Write implements [io.Writer].
func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), h.room-len(h.text))
	h.text = append(h.text, b[:n]...)
	h.more = h.more || n < len(b)
	return len(b), nil
}
