/** How the emulator calls the file of its tables, in the folder that its --location names. */
export const tableFileName = '__azurite_db_table__.json';
