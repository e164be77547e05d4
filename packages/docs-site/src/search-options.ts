/** Options of the search index, which is created at build time and read in the browser. */
export const searchOptions = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'shown'],
  searchOptions: { boost: { title: 2, heading: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
}
