"""What belongs to an installation as a whole: the doctor that examines it."""
