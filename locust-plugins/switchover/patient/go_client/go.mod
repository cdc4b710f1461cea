module switchover.github.io/patient/go_client

go 1.21
