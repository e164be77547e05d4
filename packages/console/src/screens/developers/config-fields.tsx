import { useMemo } from 'react'
import { type Columns, DataTable } from '../../components/data-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Field, fieldsOf } from './config-schema.ts'
import { developersTexts } from './texts.ts'

/** The fields of a configuration key's value, from the contract. */
export function ConfigFields({ name }: { name: string }) {
  const t = useTexts(developersTexts)
  const fields = useMemo(() => fieldsOf(name), [name])
  const columns = useMemo<Columns<Field>>(
    () => [
      { id: 'field', header: t.field, cell: ({ row }) => <code>{row.original.path || t.wholeValue}</code> },
      { id: 'type', header: t.type, cell: ({ row }) => row.original.type },
      {
        id: 'meaning',
        header: t.meaning,
        cell: ({ row: { original } }) =>
          [original.isRequired && original.path !== '' && `${t.required}.`, original.about].filter(Boolean).join(' '),
      },
    ],
    [t],
  )
  if (fields.length === 0) return null
  return (
    <details className="change">
      <summary>{t.fields}</summary>
      <DataTable label={t.fields} columns={columns} rows={fields} keyOf={({ path }) => path} />
    </details>
  )
}
