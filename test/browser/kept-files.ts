/** The number of stored files of unfinished uploads. Runs in a page of the origin. */
export async function countFiles(): Promise<number> {
  const opening = indexedDB.open('parley.files')
  await new Promise((resolve) => opening.addEventListener('success', resolve))
  const count = opening.result.transaction('parley.files').objectStore('parley.files').count()
  await new Promise((resolve) => count.addEventListener('success', resolve))
  opening.result.close()
  return count.result
}
