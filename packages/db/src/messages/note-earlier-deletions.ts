import type { Db as MongoDb } from 'mongodb'

/** Notes in the memberships what members deleted for themselves before releases did that (`hiddenUpToSeq`). */
export async function noteEarlierDeletions(mongo: MongoDb): Promise<void> {
  const highest = { $max: ['$hiddenUpToSeq', '$$new.hiddenUpToSeq'] }
  await mongo
    .collection('userDeletions')
    .aggregate(
      [
        { $group: { _id: { roomKey: '$roomKey', user: '$user' }, hiddenUpToSeq: { $max: '$seq' } } },
        // key(app, room, user). Deletions in threads, whose keys are longer, find no membership.
        { $project: { _id: { $concat: ['$_id.roomKey', '\0', '$_id.user'] }, hiddenUpToSeq: 1 } },
        {
          $merge: {
            into: 'memberships',
            whenMatched: [{ $set: { hiddenUpToSeq: highest } }],
            whenNotMatched: 'discard',
          },
        },
      ],
      { allowDiskUse: true },
    )
    .toArray()
}
