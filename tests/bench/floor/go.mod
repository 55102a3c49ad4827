module troupe.invalid/floor

go 1.21
