package doctor

import "golang.org/x/sys/unix"

// freeBytes is the room that this user has on the folder's file system.
func freeBytes(path string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize)
}
