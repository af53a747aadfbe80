/** Whether an absolute path is a folder or lies below it; both without `.` and `..`. */
export const isBelow = (path: string, folder: string): boolean => {
  const root = folder.replace(/[\\/]+$/, "")
  return path === root || (path.startsWith(root) && /^[\\/]$/.test(path.charAt(root.length)))
}
