module example.org/train

go 1.21
